#include "rooftile/compare/study.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/facts.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;

// The study of the University of British Columbia, each run by application and GPU.
class Poster : public testing::Test {
 protected:
  static const StudyRun& run(const std::string& label, const std::string& gpu) { return runs().at({label, gpu}); }
  static double best_relative(const std::string& label) {
    double best = 0;
    for (const auto& [name, run] : runs()) best = name.first == label ? std::max(best, run.relative) : best;
    return best;
  }

 private:
  using Runs = std::map<std::pair<std::string, std::string>, StudyRun>;
  static const Runs& runs() {
    static const Runs runs = [] {
      const Study study = find_study("ubc").value();
      Runs made;
      const StudyResult result = run_study(study, 1).value();
      for (const StudyRun& run : result.runs) {
        made[{study.applications[run.application].label, study.gpus[run.gpu].gpu.id}] = run;
      }
      return made;
    }();
    return runs;
  }
};

constexpr const char* kConvolutions[] = {"ResNet-50", "ResNet-152", "Inception v3", "Faster R-CNN", "WGAN"};

TEST_F(Poster, ConvolutionNetworksScaleWithTheGpu) {
  for (const char* label : kConvolutions) {
    EXPECT_GT(best_relative(label), 2.5) << label << ": V100 against P4000, whose peaks are 2.7 to 1";
    EXPECT_GT(run(label, "v100-pcie-16gb").relative, run(label, "gtx-1080-ti").relative) << label;
  }
}

TEST_F(Poster, LstmAndReinforcementLearningDoNot) {
  EXPECT_LT(best_relative("Sockeye (LSTM)"), 1.3);
  EXPECT_LT(best_relative("A3C"), 1.3);
}

TEST_F(Poster, ConsumerBoardsAreTheMostCostEffective) {
  for (const char* label :
       {"ResNet-50", "ResNet-152", "Inception v3", "Transformer", "Sockeye (LSTM)", "A3C", "Faster R-CNN", "WGAN"}) {
    double consumer = 0;
    for (const char* gpu : {"titan-xp", "titan-v", "gtx-1080-ti", "vega-frontier-edition"}) {
      consumer = std::max(consumer, *run(label, gpu).per_usd);
    }
    for (const char* gpu : {"p4000", "p100-pcie-16gb", "v100-pcie-16gb"}) {
      EXPECT_GT(consumer, *run(label, gpu).per_usd) << label << " on " << gpu;
    }
  }
}

TEST_F(Poster, LstmAndReinforcementLearningDependOnTheCpu) {
  for (const char* gpu : {"titan-xp", "v100-pcie-16gb", "p4000"}) {
    EXPECT_GT(run("Sockeye (LSTM)", gpu).waiting, 0.4) << gpu;
    EXPECT_GT(run("A3C", gpu).waiting, 0.4) << gpu;
    EXPECT_GT(run("A3C", gpu).cpu_busy, 5 * run("ResNet-50", gpu).cpu_busy) << gpu;
    EXPECT_LT(run("ResNet-50", gpu).waiting, 0.05) << gpu;
  }
}

TEST_F(Poster, LstmLeavesTheGpuUnused) {
  for (const char* gpu : {"titan-xp", "v100-pcie-16gb", "gtx-1080-ti"}) {
    const StudyRun &lstm = run("Sockeye (LSTM)", gpu), &images = run("ResNet-50", gpu);
    EXPECT_LT(lstm.gpu_busy * lstm.peak_share, 0.4 * images.gpu_busy * images.peak_share) << gpu;
  }
}

TEST(StudyFile, EveryStudyThatShipsCanBeRun) {
  for (const std::string& id : study_ids()) {
    const auto study = find_study(id);
    ASSERT_TRUE(study) << study.error().text();
    const auto result = run_study(*study, 2);
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(result->runs.size(), study->applications.size() * study->gpus.size());
    for (const StudyRun& run : result->runs) {
      EXPECT_GT(run.samples_per_second, 0);
      EXPECT_GE(run.relative, 1);
      EXPECT_LE(run.gpu_busy, 1 + 1e-9);
    }
  }
}

TEST(StudyFile, PricesOfTheCatalogueAreThoseOfTheGpusFile) {
  for (const std::string& id : study_ids()) {
    const Study study = find_study(id).value();
    for (const StudyGpu& gpu : study.gpus) {
      EXPECT_TRUE(gpu.price) << gpu.gpu.id;
      EXPECT_THAT(gpu.price_note, testing::ContainsRegex("20[0-9][0-9]-[0-9][0-9]")) << gpu.gpu.id;
      if (gpu.price_source != "launch price of the catalogue") continue;
      EXPECT_EQ(gpu.price, gpu.gpu.launch_price) << gpu.gpu.id;
      EXPECT_EQ(gpu.price_note, find_fact(gpu.gpu, "board.launch_date")->text) << gpu.gpu.id;
    }
  }
}

std::string error_of(const std::string& text) {
  const auto study = parse_study_file(text, "s.toml");
  return study ? "" : study.error().text();
}

TEST(StudyFile, AllNetworksAreReadBeforeAnyRuns) {
  Study study = find_study("ubc").value();
  study.precision = {DType::fp8, false};  // which none of its GPUs has
  EXPECT_THAT(run_study(study, 1).error().text(), HasSubstr("fp8"));
  study.applications.back().parts.back().network = "resnet51";
  EXPECT_THAT(run_study(study, 1).error().text(), HasSubstr("resnet51"));
}

TEST(StudyFile, ABadFileIsOneLineThatSaysWhere) {
  const std::string head = "id = \"s\"\nhost = \"epyc-7742-x2\"\n";
  EXPECT_EQ(error_of(head), "s.toml: gpu is missing");
  EXPECT_THAT(error_of("host = \"epyc\""), HasSubstr("s.toml:1:8: no host 'epyc'"));
  EXPECT_THAT(error_of("precision = \"fp31\""), HasSubstr("unknown precision 'fp31'"));
  EXPECT_THAT(error_of("[[gpu]]\nid = \"t5\""), HasSubstr("s.toml:2:6: no GPU 't5'"));
  EXPECT_THAT(error_of("[[gpu]]\nid = \"t4\"\nprice = { value = \"3 EUR\", source = \"x\" }"), HasSubstr("s.toml:3:"));
  EXPECT_THAT(
      error_of("[sources]\nx = \"y\"\n[[gpu]]\nid = \"t4\"\nprice = { value = \"1e-308 USD\", source = \"x\" }"),
      HasSubstr("no price from a cent to a billion USD"));
  EXPECT_THAT(error_of("[[application]]\nnetworks = [\"a\"]\ntimes = [1, 2]"), HasSubstr("1 networks and 2 times"));
  EXPECT_THAT(error_of("[[application]]\nbatch = 0"), HasSubstr("batch is a whole number from 1"));
  EXPECT_THAT(find_study("ubd").error().text(), HasSubstr("did you mean 'ubc'?"));
}

}  // namespace
}  // namespace rooftile
