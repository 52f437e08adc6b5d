#include "rooftile/base/toml_depth.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(TomlDepth, IsThatOfTheDeepestTable) {
  EXPECT_EQ(toml_depth(""), 0U);
  EXPECT_EQ(toml_depth("a = 1\nb = 2\n"), 0U);
  EXPECT_EQ(toml_depth("a.b.c = 1\na.d = 2\n"), 2U);
  EXPECT_EQ(toml_depth("[a.b]\n[[c]]\n"), 2U);
  EXPECT_EQ(toml_depth("a = [[1, 2], [3]]\n"), 2U);
  EXPECT_EQ(toml_depth("a = {b.c = {d.e = 1, f = 2}}\n"), 4U);
}

TEST(TomlDepth, IsNoMoreForMoreOfTheSame) {
  EXPECT_EQ(toml_depth("a = [{b = 1.5, c = 2.5}, {b = 1.5, c = 2.5}]\n"), 3U);
  EXPECT_EQ(toml_depth("a = [1.5,\n 2.5,\n 3.5]\nb = 1.5\n"), 2U);
}

TEST(TomlDepth, CountsNothingInQuotesAndComments) {
  EXPECT_EQ(toml_depth(R"(a = "[.{\"[.{")"), 0U);
  EXPECT_EQ(toml_depth(R"(a = '[.{\' # [.{')"), 0U);
  EXPECT_EQ(toml_depth("a = \"\"\"[\n\"[\"\"[\\\"\"\"[\"\"\"\n"), 0U);
  EXPECT_EQ(toml_depth("a = '''[\n'[''['''\n"), 0U);
}

TEST(TomlDepth, GoesOnWhereAQuoteEnds) {
  EXPECT_EQ(toml_depth(R"(a = ["", ["\"", ['', ['\', [)"), 5U);
  EXPECT_EQ(toml_depth(R"(a = ["""""", ["""b""""", ['''b'''', [)"), 4U);
  EXPECT_EQ(toml_depth("a = \"b\nc = [[\n"), 2U);
  EXPECT_EQ(toml_depth("# it's \"\"\"\na = [[\n"), 2U);
}

TEST(TomlDepth, TakesWhatIsClosedTooOften) {
  EXPECT_EQ(toml_depth("]}]a = [["), 2U);
  EXPECT_EQ(toml_depth("\"\"\""), 0U);
  EXPECT_EQ(toml_depth("a = \"\\"), 0U);
}

}  // namespace
}  // namespace rooftile
