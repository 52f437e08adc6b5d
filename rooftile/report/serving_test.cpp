#include "rooftile/report/serving.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class ServingReportTest : public ::testing::Test {
 protected:
  ServingReport report() const {
    const ForwardRun prompt = {.batch = 4, .seq_len = 100}, step = {.batch = 4, .seq_len = 1, .context = 150};
    ServingBatch batch;
    batch.sequences = 4;
    batch.prompt = parallel_forward(setup.shape, prompt, setup.way, setup.cluster, setup.gpu, setup.options).value();
    batch.step = parallel_forward(setup.shape, step, setup.way, setup.cluster, setup.gpu, setup.options).value();
    ServingReport report{.model = "gpt2_xl",
                         .precision = "fp16",
                         .setup = setup,
                         .input_tokens = 100,
                         .output_tokens = 100,
                         .server = {},
                         .batches = {batch}};
    report.price = price_of(setup.gpu, {});
    const auto requests = poisson_arrivals(2, 50, 100, 100);
    const ServingRun run = serve(requests, engine_times(setup), report.server).value();
    report.figures = figures_of(requests, run);
    report.requests = requests.size();
    report.rate = 2;
    report.mean_batch = run.mean_batch();
    return report;
  }

  EngineSetup setup{.shape = find_transformer("gpt2_xl").value().value(),
                    .way = {},
                    .cluster = find_gpu_cluster("dgx-a100").value(),
                    .gpu = find_gpu("a100-sxm4-80gb").value(),
                    .options = {.precision = DType::fp16, .execution = Execution::engine}};
};

TEST_F(ServingReportTest, TheTableHasBatchesAndWhatUsersNotice) {
  const std::string text = serving_table(report());
  EXPECT_THAT(text, HasSubstr("gpt2_xl, fp16, on a100-sxm4-80gb: 100 tokens read, 100 written"));
  EXPECT_THAT(text, HasSubstr("50 requests arriving 2 a second"));
  EXPECT_THAT(text, HasSubstr("first token"));
}

TEST_F(ServingReportTest, AboveWhatTheServerKeepsUpWithTheTableSaysSo) {
  ServingReport one = report();
  EXPECT_THAT(serving_table(one), Not(HasSubstr("keeps up")));
  one.most_served = 1.5;
  EXPECT_THAT(serving_table(one), HasSubstr("the server keeps up with 1.5 requests a second at most"));
}

TEST_F(ServingReportTest, WithoutARateThatHoldsTheBoundItSaysSo) {
  ServingReport one = report();
  one.bound.first_token = Seconds(1e-6);
  one.knee = Knee{};
  EXPECT_THAT(serving_table(one),
              HasSubstr("No rate keeps nine in ten to a first token within 1 us: a single request takes longer"));
  one.server.batching = Batching::fixed;
  EXPECT_THAT(serving_table(one), HasSubstr("filling a batch and running it takes longer"));
}

TEST_F(ServingReportTest, CsvHasARowForEachBatchTheArrivalsAndTheBound) {
  ServingReport one = report();
  one.knee = Knee{3, *one.figures};
  const std::string text = serving_csv(one);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_THAT(text, HasSubstr("\ngpt2_xl,a100-sxm4-80gb,batch,"));
  EXPECT_THAT(text, HasSubstr("\ngpt2_xl,a100-sxm4-80gb,arrivals,"));
  EXPECT_THAT(text, HasSubstr("\ngpt2_xl,a100-sxm4-80gb,bound,,,3,"));
}

TEST_F(ServingReportTest, LargeRatesAreWholeNumbers) {
  ServingReport one = report();
  one.batches.front().sequences = 100000;
  EXPECT_THAT(serving_table(one), Not(HasSubstr("e+")));
}

TEST_F(ServingReportTest, UsersStepsAndTheCacheFollowTheSchema) {
  setup.options.cache = DType::fp8;
  ServingReport one = report();
  one.users = UsersServed{4, 40, *one.figures, 3.5};
  one.server.step_tokens = 8192;
  const json value = json::parse(serving_json(one));
  EXPECT_TRUE(fits_schema(value, "serving-1.json"));
  EXPECT_EQ(value["concurrency"]["users"], 4);
  EXPECT_EQ(value["step_tokens"], 8192);
  EXPECT_EQ(value["kv_cache"], "fp8");
  EXPECT_THAT(serving_table(one), HasSubstr("steps of up to 8,192 tokens"));
  one.server.step_tokens = 1;
  EXPECT_THAT(serving_table(one), HasSubstr("steps of up to 1 token,"));
}

TEST_F(ServingReportTest, JsonFollowsItsSchema) {
  ServingReport one = report();
  one.bound.each_token = Seconds(1);
  one.knee = Knee{3, *one.figures};
  const json value = json::parse(serving_json(one));
  EXPECT_TRUE(fits_schema(value, "serving-1.json"));
  EXPECT_GT(value["arrivals"]["usd_per_million_tokens"].get<double>(), 0);
  EXPECT_TRUE(value["step_tokens"].is_null());
  one.price.reset();
  EXPECT_TRUE(json::parse(serving_json(one))["batches"][0]["usd_per_million_tokens"].is_null());
}

}  // namespace
}  // namespace rooftile
