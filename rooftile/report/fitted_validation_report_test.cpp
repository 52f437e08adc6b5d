#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/report/fitted_validation.hpp"
#include "rooftile/report/validation.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two rows, one of them of a GPU and a precision that the fit had not.
FittedValidation judged() {
  FittedValidation result;
  result.validation.by = {"gpu"};
  result.validation.methods = {"grey-box"};
  for (const char* gpu : {"t4", "p4"}) {
    FittedComparison one;
    one.place = "t.csv:2";
    one.row = {{gpu}, {.measured = 1, .predicted = 1.1}};
    one.beyond = one.row.key.front() == "p4";
    result.rows.push_back(one);
  }
  result.other_gpus = {1, {"p4"}};
  result.other_precisions = {1, {"fp16"}};
  add_scores(result.validation, {result.rows[0].row, result.rows[1].row}, "grey-box");
  return result;
}

TEST(FittedValidationReport, JsonSaysWhatLiesBeyondTheFit) {
  const auto json = nlohmann::json::parse(fitted_validation_json(judged()));
  EXPECT_TRUE(fits_schema(json, "validation-1.json"));
  EXPECT_EQ(json["beyond"]["rows"], 1);
  EXPECT_EQ(json["beyond"]["other_gpus"], nlohmann::json({{"rows", 1}, {"names", {"p4"}}}));
  EXPECT_EQ(json["beyond"]["other_precisions"], nlohmann::json({{"rows", 1}, {"names", {"fp16"}}}));
  auto other = json;
  other["beyond"].erase("rows");
  EXPECT_FALSE(fits_schema(other, "validation-1.json"));
}

TEST(FittedValidationReport, NoRowBeyondTheFitMakesNoNote) {
  FittedValidation result = judged();
  result.rows.pop_back();
  result.other_gpus = result.other_precisions = {};
  const auto json = nlohmann::json::parse(fitted_validation_json(result));
  EXPECT_TRUE(fits_schema(json, "validation-1.json"));
  EXPECT_EQ(json["beyond"]["rows"], 0);
  EXPECT_THAT(notes_of_beyond(result), IsEmpty());
}

TEST(FittedValidationReport, NotesAreThoseOfTheTable) {
  const FittedValidation result = judged();
  const auto notes = notes_of_beyond(result);
  EXPECT_THAT(notes, ElementsAre("1 of 2 rows lie outside the range of the fit", "1 row with GPUs not in the fit: p4",
                                 "1 row with precisions not in the fit: fp16"));
  const std::string table = fitted_validation_table(result);
  for (const std::string& note : notes) EXPECT_NE(table.find(note), std::string::npos);
}

TEST(FittedValidationReport, RowsOfOtherGpusAreCounted) {
  FittedValidation result = judged();
  result.rows.front().beyond = true;
  result.other_gpus = {2, {"p4", "k80"}};
  EXPECT_THAT(notes_of_beyond(result), testing::Contains("2 rows with GPUs not in the fit: k80, p4"));
}

// Methods have no fit that a row could lie beyond.
TEST(FittedValidationReport, JsonOfMethodsHasNothingBeyond) {
  const auto json = nlohmann::json::parse(validation_json(judged().validation));
  EXPECT_TRUE(fits_schema(json, "validation-1.json"));
  EXPECT_FALSE(json.contains("beyond"));
}

}  // namespace
}  // namespace rooftile
