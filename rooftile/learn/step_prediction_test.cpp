#include "rooftile/learn/step_prediction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/learn/builtin_fitted.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/learn/grey_box/workload.hpp"
#include "rooftile/learn/layers/layer_prediction.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct AskedStep {
  Workload workload;
  Gpu gpu;
  AskedRun run;

  AskedStep(const char* network, const char* gpu_id, std::int64_t share, Phase phase)
      : workload(*load_model(network, {.batch_size = share})), gpu(*find_gpu(gpu_id)) {
    run.workload = &workload;
    run.gpu = &gpu;
    run.phase = phase;
  }
};

TEST(PredictStep, OfAPerLayerModelIsTheSumOfTheLayers) {
  const auto model = *find_fitted("gianniti-m6000");
  AskedStep asked("alexnet", "m6000", 64, Phase::step);
  const auto step = predict_step(model, asked.run);
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_EQ(step->time, predict_by_layers(model, asked.workload, Phase::step)->time);
  EXPECT_FALSE(step->left_out.empty());

  asked.run.gpus = 2;
  EXPECT_THAT(predict_step(model, asked.run).error().message, HasSubstr("one GPU"));
  asked.run.gpus = 1;
  asked.run.precision = DType::fp16;
  EXPECT_THAT(predict_step(model, asked.run).error().message, HasSubstr("fp32, not fp16"));
  const AskedStep elsewhere("alexnet", "titan-xp", 64, Phase::step);
  EXPECT_THAT(predict_step(model, elsewhere.run).error().message, HasSubstr("is for m6000, not titan-xp"));
  EXPECT_FALSE(knows_several_gpus(model));
}

TEST(PredictStep, OfAnEndToEndModelKnowsTheGpus) {
  std::string csv = "op,model,gpu,gpus,precision,pass,batch,time_us\n";
  for (const int gpus : {1, 2, 4, 8}) {
    csv += fmt::format("network,alexnet,titan-xp,{},fp32,step,{},{}\n", gpus, 32 * gpus, 1e5 + 3e4 * (1 - 1.0 / gpus));
  }
  const MeasuredTable table("t.csv", *parse_layer_table(csv, "t.csv", {.measurements = true}));
  NetworkFitOptions options;
  options.split = SplitKind::none;
  options.ways = {Way::physics};
  const auto model = fitted_model(*fit_networks(*run_rows({table}, {}), options), "physics");
  EXPECT_TRUE(knows_several_gpus(model));
  AskedStep asked("alexnet", "titan-xp", 32, Phase::step);
  asked.run.gpus = 4;
  const auto step = predict_step(model, asked.run);
  ASSERT_TRUE(step) << step.error().text();
  EXPECT_NEAR(step->time.value(), 0.1225, 1e-6);
  EXPECT_THAT(step->warnings, IsEmpty());
}

// Convolutions that take twice what the analytic model says.
regression::FittedModel grey_box() {
  std::string csv = "op,gpu,pass,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,time_us\n";
  for (const int batch : {8, 16, 32, 64, 128, 256}) {
    for (const int channels : {32, 64, 128, 256}) {
      csv += fmt::format("conv,titan-xp,fwd,{},{},28,28,{},3,3,1,1,1,1,1\n", batch, channels, channels);
    }
  }
  std::vector<MeasuredTable> tables;
  tables.emplace_back("t.csv", *parse_layer_table(csv, "t.csv", {.measurements = true}));
  GreyBoxRows rows = *grey_box_rows(tables);
  const auto analytic = rows.table.values.column(*rows.table.find("analytic_s"));
  for (std::size_t row = 0; row < rows.size(); ++row) rows.seconds[row] = 2 * analytic[row];
  return *fit_grey_box(rows, {.name = "twice"});
}

TEST(PredictStep, OfAGreyBoxIsItsLayersAndTheAnalyticRest) {
  const auto model = grey_box();
  AskedStep asked("resnet18", "titan-xp", 32, Phase::fwd);
  const auto grey = predict_by_grey_box(model, asked.run);
  ASSERT_TRUE(grey) << grey.error().text();
  const Prediction analytic = *predict(asked.workload, asked.gpu, {}, Phase::fwd);
  EXPECT_EQ(grey->layers.size(), analytic.layers.size());
  Seconds convolutions, rest;
  for (const LayerEstimate& layer : analytic.layers) (layer.op == "conv" ? convolutions : rest) += layer.time;
  EXPECT_NEAR((grey->time - grey->fitted_time) / rest, 1, 1e-12);
  EXPECT_NEAR(grey->fitted_time / convolutions, 2, 0.3);
  EXPECT_THAT(grey->warnings, Contains(HasSubstr("layers are outside the range of sizes")));

  const auto step = predict_step(model, asked.run);
  EXPECT_EQ(step->time, grey->time);
  ASSERT_TRUE(step->range);
  EXPECT_LE(step->range->low, step->time);

  // Of several frameworks none is guessed.
  auto several = model;
  several.fitted_on.software = {"PyTorch", "TensorFlow"};
  EXPECT_THAT(predict_by_grey_box(several, asked.run)->warnings,
              Contains(HasSubstr("no framework given (--set framework=NAME)")));
  asked.run.cells["framework"] = "PyTorch";
  EXPECT_THAT(predict_by_grey_box(several, asked.run)->warnings,
              Not(Contains(HasSubstr("no framework given (--set framework=NAME)"))));
  asked.run.cells = {{"threads", "8"}};
  EXPECT_THAT(predict_step(model, asked.run).error().text(), HasSubstr("--set: a grey-box model takes only framework"));
  asked.run.cells.clear();

  const AskedStep training("resnet18", "titan-xp", 32, Phase::step);
  EXPECT_THAT(predict_step(model, training.run).error().message, HasSubstr("no layer of this network in pass step"));
  asked.run.gpus = 2;
  EXPECT_THAT(predict_step(model, asked.run).error().message, HasSubstr("one GPU"));
}

TEST(PredictStep, AnotherKindIsRefused) {
  regression::FittedModel model = grey_box();
  model.kind = "else";
  const AskedStep asked("resnet18", "titan-xp", 32, Phase::fwd);
  EXPECT_THAT(predict_step(model, asked.run).error().message, HasSubstr("kind 'else'"));
}

}  // namespace
}  // namespace rooftile
