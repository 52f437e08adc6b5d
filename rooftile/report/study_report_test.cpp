#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 1 + 4);
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
  EXPECT_THAT(files.front().text, HasSubstr("reinforcement,A3C,titan-xp,128,"));
}

}  // namespace
}  // namespace rooftile
