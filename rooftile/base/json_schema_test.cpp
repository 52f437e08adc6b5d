#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"

namespace rooftile {
namespace {

TEST(JsonSchema, AnEmptyObjectFitsNone) { EXPECT_FALSE(fits_schema(nlohmann::json::object(), "store-1.json")); }

}  // namespace
}  // namespace rooftile
