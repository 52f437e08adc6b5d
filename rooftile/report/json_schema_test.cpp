#include "rooftile/report/json_schema.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace rooftile {

bool fits_schema(const nlohmann::json& value, const std::string& name) {
  std::ifstream file("data/schema/" + name);
  const auto text = nlohmann::json::parse(file);
  valijson::Schema schema;
  const valijson::adapters::NlohmannJsonAdapter schema_adapter(text), value_adapter(value);
  valijson::SchemaParser().populateSchema(schema_adapter, schema);
  return valijson::Validator().validate(schema, value_adapter, nullptr);
}

namespace {

TEST(JsonSchema, AnEmptyObjectFitsNone) { EXPECT_FALSE(fits_schema(nlohmann::json::object(), "store-1.json")); }

}  // namespace
}  // namespace rooftile
