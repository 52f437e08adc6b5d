#include "rooftile/base/strict_json.hpp"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

std::string json_error(const std::string& text) {
  const auto value = parse_strict_json(text, "f");
  return value ? "no error" : value.error().text();
}

std::string nested(int depth, const std::string& inside) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += R"({"a":)";
  return text + inside + std::string(static_cast<std::size_t>(depth), '}');
}

TEST(StrictJson, GivesEveryKindOfValue) {
  const std::string text = R"({"a":[1,-2,1.5e3,true,null,"x\n",[],{}],"b":{"a":18446744073709551615}})";
  const auto value = parse_strict_json(text, "f");
  ASSERT_TRUE(value.has_value()) << value.error().text();
  EXPECT_EQ(*value, nlohmann::json::parse(text));
  EXPECT_EQ(parse_strict_json(" 5 ", "f").value(), 5);
}

TEST(StrictJson, SaysWhereItIsNone) {
  EXPECT_EQ(json_error(" \n"), "f: the file is empty");
  EXPECT_EQ(json_error("{\"a\":\n 1,}"),
            "f:2:4: not JSON: syntax error while parsing object key - unexpected '}'; expected string literal");
  EXPECT_EQ(json_error("[1] // one"),
            "f:1:5: not JSON: syntax error while parsing value - invalid literal; last read: '1] /'; expected end of "
            "input");
  EXPECT_EQ(json_error("[1e999]"), "f:1:7: not JSON: number overflow parsing '1e999'");
}

TEST(StrictJson, AKeyStandsOnceInItsObject) {
  EXPECT_EQ(json_error("{\"a\": 1,\n \"a\": 2}"), "f:2:4: duplicate key 'a'");
  EXPECT_EQ(json_error(R"([{"a":{"b":1}},{"a":{"a":1,"b":2,"b":3}}])"), "f:1:36: duplicate key 'b'");
  EXPECT_EQ(json_error(R"([{"a":{"a":1}},{"a":2}])"), "no error");
}

TEST(StrictJson, NestingEnds) {
  EXPECT_EQ(json_error(nested(32, "1")), "no error");
  EXPECT_EQ(json_error(nested(33, "1")), "f:1:164: nested too deeply");
  EXPECT_EQ(json_error(std::string(33, '[') + std::string(33, ']')), "no error");
  EXPECT_EQ(json_error(std::string(100'000, '[')), "f:1:34: nested too deeply");
}

}  // namespace
}  // namespace rooftile
