#include "rooftile/regression/fitted_json.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"

namespace rooftile::regression {
namespace {

using nlohmann::json;
using testing::HasSubstr;

bool fits(const std::string& text) { return fits_schema(json::parse(text), "fitted-1.json"); }

// Every key of the format, in one model.
FittedModel model() {
  FittedEquation linear;
  linear.name = "conv forward";
  linear.technique = Technique::ridge;
  linear.target = {"time_s", true, "analytic_s"};
  linear.terms = {{{}, 0.1, 0.01, {}, {}, {}}, {{{"batch", -1}, {"flops", 1, true}}, -1.0 / 3, 0.2, 3.5, 7, 2}};
  linear.ranges = {{"batch", 1, 64}, {"flops", 1e6, 1e12}};
  linear.interval = Interval{0.9, 1.25, "5-fold cross-validation", 100};
  linear.figures = {100, 0.9, 0.89, 0.1, 12, 0.01, 0.05, 0.06, 0.07, 0.08};
  FittedEquation trees;
  trees.name = "network";
  trees.group = {{"gpu", "titan-xp"}, {"precision", "fp32"}};
  trees.technique = Technique::trees;
  trees.terms = {{{{"gpus"}}}};
  trees.trees = TreeEnsemble{1, 2.5, {{{0, 1.1F, 1, 2, 0}, {0, 0, 0, 0, 0.1F}, {0, 0, 0, 0, 0.2F}}}};
  return {
      "m6000",
      "layers",
      {100, {"titan-xp"}, {"cudnn 7"}, {"fp32"}, {"step"}, {"alexnet"}, {"table.csv"}, "2018-01-01", "none", "by hand"},
      {linear, trees}};
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = fitted_json(model());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string message(const std::string& text) {
  const auto read = parse_fitted_json(text, "f.json");
  return read ? "" : read.error().text();
}

TEST(FittedJson, NamesOfAnotherEncodingAreWrittenAllTheSame) {
  FittedModel odd = model();
  odd.fitted_on.software = {"caf\xe9 2"};
  const std::string text = fitted_json(odd);
  EXPECT_TRUE(fits(text));
  EXPECT_TRUE(parse_fitted_json(text, "test").has_value());
}

TEST(FittedJson, ReadsBackAsItWas) {
  const auto read = parse_fitted_json(fitted_json(model()), "f.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, model());
}

TEST(FittedJson, FitsItsSchema) {
  EXPECT_TRUE(fits(fitted_json(model())));
  EXPECT_FALSE(fits(changed("\"factor\": 1.25", "\"factor\": 0.5")));
  EXPECT_FALSE(fits(changed("\"technique\": \"ridge\"", "\"technique\": \"guess\"")));
  EXPECT_FALSE(fits(changed("\"mape\"", "\"mabe\"")));
}

TEST(FittedJson, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(message("{"), HasSubstr("f.json:1:"));
  EXPECT_THAT(message("{}"), HasSubstr("'schema' is missing"));
  EXPECT_THAT(message(changed("fitted/1", "fitted/2")), HasSubstr("did you mean 'rooftile/fitted/1'"));
  EXPECT_THAT(message(changed("\"ridge\"", "\"rigde\"")), HasSubstr("did you mean 'ridge'"));
  EXPECT_THAT(message(changed("\"mape\"", "\"mabe\"")), HasSubstr("equations[0].figures.mabe: unknown key"));
  EXPECT_THAT(message(changed("\"factor\": 1.25", "\"factor\": 0.5")), HasSubstr("interval.factor"));
  EXPECT_THAT(message(changed("\"factor\": 1.25", "\"factor\": 1e300")), HasSubstr("from 1 to 1e6"));
  EXPECT_THAT(message(changed("\"time_s\"", "\"time_us\"")), HasSubstr("target.name: must be time_s"));
  EXPECT_THAT(message(changed("\"power\": -1.0", "\"power\": 0")), HasSubstr("factors[0].power"));
  EXPECT_THAT(message(changed("\"power\": -1.0", "\"power\": 2")), HasSubstr("the factors say 'batch^2*ln(flops)'"));
  EXPECT_THAT(message(changed("\"network\"", "\"conv forward\"")), HasSubstr("another equation has this name"));
  EXPECT_THAT(message(changed("\"coefficient\": 0.1", "\"coefficient\": \"0.1\"")), HasSubstr("terms[0].coefficient"));
  EXPECT_THAT(message(changed("\"technique\": \"trees\"", "\"technique\": \"nnls\"")), HasSubstr("'ensemble'"));
}

// A walk down a tree ends: children come after their node and within the tree, columns exist.
TEST(FittedJson, TreesHangTogether) {
  const json whole = json::parse(fitted_json(model()));
  const auto with_node = [&](const json& node) {
    json text = whole;
    text["equations"][1]["ensemble"]["trees"][0][0] = node;
    return message(text.dump());
  };
  EXPECT_EQ(with_node({0, 1.5, 1, 2}), "");
  EXPECT_THAT(with_node({0, 1.5, 0, 2}), HasSubstr("trees[0][0]: 0 is not between 1 and 2"));
  EXPECT_THAT(with_node({0, 1.5, 1, 3}), HasSubstr("3 is not between 1 and 2"));
  EXPECT_THAT(with_node({1, 1.5, 1, 2}), HasSubstr("1 is not between 0 and 0"));
  EXPECT_THAT(with_node({0, 1e300, 1, 2}), HasSubstr("too large"));
  EXPECT_THAT(with_node({0, 1}), HasSubstr("a node is"));
}

}  // namespace
}  // namespace rooftile::regression
