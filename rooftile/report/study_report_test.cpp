#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/report/palette.hpp"
#include "rooftile/report/study.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

Study small_study() {
  Study study = find_study("ubc").value();
  study.gpus.resize(2);
  std::erase_if(study.applications, [](const Application& one) { return one.label != "A3C" && one.label != "WGAN"; });
  return study;
}

TEST(StudyReport, TheTableHasARowForEachApplicationAndGpu) {
  const Study study = small_study();
  const std::string text = study_table(study, run_study(study, 1).value());
  EXPECT_THAT(text, HasSubstr("A3C x 128"));
  EXPECT_THAT(text, HasSubstr("titan-v"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 1 + 4 + 1 + 1 + 3);
}

TEST(StudyReport, EveryPriceHasItsSourceAndDate) {
  const Study study = small_study();
  const StudyResult result = run_study(study, 1).value();
  const std::string text = study_table(study, result);
  EXPECT_THAT(text, HasSubstr("1,199  launch price of the catalogue, 2017-04-06\n"));
  EXPECT_THAT(text, HasSubstr("3,490  Intel ARK, Xeon E5-2680 v4, two processors at 1,745 USD\n"));
  EXPECT_THAT(study_csv(study, result), HasSubstr("\"Intel ARK, Xeon E5-2680 v4, two processors at 1,745 USD\""));
  const nlohmann::json json = nlohmann::json::parse(study_json(study, result));
  EXPECT_TRUE(fits_schema(json, "study-1.json"));
  EXPECT_EQ(json["gpus"][0]["price"]["source"], "launch price of the catalogue, 2017-04-06");
  EXPECT_EQ(json["runs"].size(), 4U);
  Study unknown = study;
  unknown.gpus[0].price.reset();
  unknown.host.price.reset();
  EXPECT_THAT(study_table(unknown, result), HasSubstr("-  not known\n"));
  EXPECT_TRUE(fits_schema(nlohmann::json::parse(study_json(unknown, result)), "study-1.json"));
}

TEST(StudyReport, StallsHaveTheColoursOfTheRoofline) {
  const Study study = small_study();
  for (const StudyFile& file : study_files(study, run_study(study, 1).value())) {
    if (file.name.find("stalls_") != 0) continue;
    for (const std::string reason : {"memory_dependency", "pipe_busy"}) {
      const std::size_t name = file.text.find(">" + reason + "</text>");
      if (name == std::string::npos) continue;
      const std::size_t square = file.text.rfind("fill=\"#", file.text.rfind("<text", name));
      EXPECT_EQ(file.text.substr(square + 6, 7), stall_colour(reason).light) << file.name << " " << reason;
    }
  }
}

TEST(StudyReport, TheFilesAreThoseOfTheIndex) {
  const Study study = small_study();
  const auto files = study_files(study, run_study(study, 1).value());
  const std::string& index = files.back().text;
  EXPECT_EQ(files.back().name, "index.md");
  for (const StudyFile& file : files) {
    EXPECT_FALSE(file.text.empty()) << file.name;
    if (&file != &files.back()) {
      EXPECT_THAT(index, HasSubstr("[" + file.name + "](" + file.name + ")"));
    }
  }
  for (const StudyGpu& gpu : study.gpus) EXPECT_THAT(index, HasSubstr("stalls_" + gpu.gpu.id + ".svg"));
  EXPECT_THAT(files.front().text, HasSubstr("reinforcement,A3C,titan-xp,128,"));
}

}  // namespace
}  // namespace rooftile
