#include "rooftile/report/parallelisation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ParallelisationReportTest : public ::testing::Test {
 protected:
  ParallelisationReportTest() {
    options.parallel.predict.precision = DType::bf16;
    options.parallel.predict.training = true;
    options.parallel.predict.optimizer = Optimizer::adamw;
    options.parallel.style = style_of("");
    search(1);
  }

  void search(double memory_share) {
    options.memory_share = memory_share;
    const auto ways = ways_of(network, cluster, 8, 16, {});
    tried = search_ways(network, ways, cluster, gpu, options);
  }

  ParallelisationReport report() const {
    return {.model = "gpt2",
            .precision = "bf16",
            .cluster = cluster,
            .gpu = gpu,
            .gpus = 8,
            .batch = 16,
            .seq_len = 1024,
            .tried = tried,
            .memory_share = options.memory_share};
  }

  ParallelNetwork network = parallel_network({.model = "gpt2", .batch = {}, .seq_len = {}}).value();
  GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
  Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  SearchOptions options;
  std::vector<WayTried> tried;
};

TEST_F(ParallelisationReportTest, TheTableSaysWhatWasTriedAndWhereTheTimeGoes) {
  const std::string text = parallelisation_table(report(), 120);
  EXPECT_THAT(text, HasSubstr("gpt2, 16 samples a step of 1,024 positions, bf16, on 8 x a100-sxm4-80gb (dgx-a100)"));
  EXPECT_THAT(text, HasSubstr(" ways tried: "));
  EXPECT_THAT(text, HasSubstr("computing"));
}

TEST_F(ParallelisationReportTest, WithoutRoomItSaysWhatTheLeastNeeds) {
  search(1e-3);
  EXPECT_THAT(parallelisation_table(report(), 200), HasSubstr("0 fit, "));
  EXPECT_THAT(parallelisation_table(report(), 200), HasSubstr("(the least "));
  EXPECT_TRUE(json::parse(parallelisation_json(report()))["ways"].empty());
}

TEST_F(ParallelisationReportTest, JsonFollowsItsSchema) {
  const json value = json::parse(parallelisation_json(report()));
  EXPECT_TRUE(fits_schema(value, "parallelisation-1.json"));
  EXPECT_EQ(value["ways"].size(), 10U);
  const json& first = value["ways"][0];
  double sum = 0;
  for (const auto& part : first["parts_s"]) sum += part.get<double>();
  EXPECT_NEAR(sum, first["time_s"].get<double>(), 1e-9);
}

TEST_F(ParallelisationReportTest, CsvHasARowAWay) {
  const std::string text = parallelisation_csv(report());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_TRUE(text.starts_with("model,gpu,gpus,batch,tp,"));
}

}  // namespace
}  // namespace rooftile
