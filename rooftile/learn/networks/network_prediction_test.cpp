#include "rooftile/learn/networks/network_prediction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/regression/fitted_json.hpp"

namespace rooftile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFrameworkHeader = "op,model,gpu,gpus,framework,precision,pass,batch,iterations,time_us\n";

MeasuredTable table_of_csv(const std::string& csv) {
  return {"t.csv", *parse_layer_table(csv, "t.csv", {.measurements = true})};
}

NetworkFit fit_of(const std::string& csv, Way way, const std::vector<std::string>& by = {}) {
  NetworkFitOptions options;
  options.by = by;
  options.split = SplitKind::none;
  options.ways = {way};
  return *fit_networks(*run_rows({table_of_csv(csv)}, {}), options);
}

// As a file keeps it.
regression::FittedModel model_of(const NetworkFit& fit, Way way) {
  return *regression::parse_fitted_json(regression::fitted_json(fitted_model(fit, std::string(name_of(way)))),
                                        "f.json");
}
regression::FittedModel model_of(const std::string& csv, Way way, const std::vector<std::string>& by = {}) {
  return model_of(fit_of(csv, way, by), way);
}

// Batches of three networks on 1, 2 and 4 GPUs of some kinds, with a time that no analytic model gives.
std::string runs(const std::vector<const char*>& boards = {"titan-xp", "p100-pcie-16gb"}) {
  std::string csv = kFrameworkHeader;
  for (const char* gpu : boards) {
    for (const char* network : {"alexnet", "ResNet-18", "resnet34"}) {
      for (const int gpus : {1, 2, 4}) {
        for (const int share : {8, 16, 32, 64}) {
          csv += fmt::format("network,{},{},{},PyTorch,fp32,step,{},,{}\n", network, gpu, gpus, share * gpus,
                             1e4 + 300 * share + 5e3 * (1 - 1.0 / gpus) + share % 3 * 100);
        }
      }
    }
  }
  return csv;
}

struct Asked {
  Workload workload;
  Gpu gpu;
  AskedRun run;

  Asked(const char* network, const char* gpu_id, std::int64_t share, int gpus = 1)
      : workload(*load_model(network, {.batch_size = share})), gpu(*find_gpu(gpu_id)) {
    run.workload = &workload;
    run.gpu = &gpu;
    run.gpus = gpus;
    run.phase = Phase::step;
  }
};

// The columns are worked out as those of the fit were: the prediction of a row of the fit is the fitted value.
TEST(PredictNetwork, ARowOfTheFitHasItsFittedValue) {
  const std::string csv = runs({"titan-xp"});
  for (const Way way : {Way::affine, Way::alphabet, Way::physics, Way::analytic, Way::scaled, Way::trees}) {
    const auto fit = fit_of(csv, way, {"gpu", "model"});
    if (fit.totals.empty()) continue;  // trees without XGBoost
    const auto model = model_of(fit, way);
    const NetworkGroup* group = nullptr;
    for (const NetworkGroup& one : fit.groups) {
      if (one.key == std::vector<std::string>{"titan-xp", "ResNet-18"}) group = &one;
    }
    ASSERT_NE(group, nullptr);
    const Asked asked("resnet18", "titan-xp", 16, 2);
    const auto prediction = predict_network(model, asked.run);
    ASSERT_TRUE(prediction) << name_of(way) << ": " << prediction.error().text();
    constexpr std::size_t kRow = 5;  // of the group: 2 GPUs, a share of 16
    EXPECT_NEAR(prediction->time.value() / group->verdicts.front().predicted[kRow], 1, 1e-9) << name_of(way);
    EXPECT_EQ(prediction->batch_size, 32);
    EXPECT_THAT(prediction->warnings, IsEmpty()) << prediction->warnings.front();
    ASSERT_TRUE(prediction->range);
    EXPECT_LT(prediction->range->low, prediction->time);
    EXPECT_GT(prediction->range->high, prediction->time);
    const auto by_row = predict_row(
        model, run_rows({table_of_csv(kFrameworkHeader +
                                      std::string("network,resnet-18,titan-xp,2,PyTorch,fp32,step,32,,1\n"))},
                        {})
                   ->rows.front());
    EXPECT_NEAR(by_row->value / prediction->time.value(), 1, 1e-12) << name_of(way);
  }
}

TEST(PredictNetwork, WarnsBeyondTheFitEvenOfColumnsThatNoTermHas) {
  const auto model = model_of(runs(), Way::affine, {"gpu", "model", "gpus"});  // batch alone
  const Asked more("alexnet", "titan-xp", 128, 4);
  const auto batch = predict_network(model, more.run);
  ASSERT_TRUE(batch) << batch.error().text();
  EXPECT_THAT(batch->warnings, Contains(HasSubstr("batch_size is 512, outside the 32 to 256 of the fit")));

  const auto any = model_of(runs(), Way::affine);
  const Asked other("vgg16", "v100-sxm2-16gb", 16);
  const auto foreign = predict_network(any, other.run);
  ASSERT_TRUE(foreign) << foreign.error().text();
  EXPECT_THAT(foreign->warnings, Contains(HasSubstr("parameters is")));
  EXPECT_THAT(foreign->warnings, Contains(HasSubstr("power is")));
  EXPECT_THAT(foreign->warnings,
              Contains(HasSubstr("GPU v100-sxm2-16gb is not one of those in the fit: titan-xp, p100")));
  EXPECT_THAT(foreign->warnings, Contains(HasSubstr("network vgg16 is not one of those in the fit")));
}

TEST(PredictNetwork, TheGroupIsThatOfTheCells) {
  const auto model = model_of(runs(), Way::analytic, {"gpu", "model"});
  const auto prediction = predict_network(model, Asked("resnet18", "p100-pcie-16gb", 8).run);
  ASSERT_TRUE(prediction) << prediction.error().text();
  EXPECT_EQ(prediction->group, "gpu p100-pcie-16gb, model ResNet-18");

  const auto none = predict_network(model, Asked("vgg16", "titan-xp", 8).run);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_found);
  EXPECT_THAT(none.error().message,
              HasSubstr("no group for gpu titan-xp, model vgg16; it has gpu titan-xp, model ResNet-18; gpu"));

  // A name that the tables have is asked for by that name.
  Asked renamed("vgg16", "titan-xp", 8);
  renamed.run.cells["model"] = "alexnet";
  EXPECT_TRUE(predict_network(model, renamed.run));
}

TEST(PredictNetwork, AGroupThatNobodyNamedIsAskedFor) {
  std::string csv = kFrameworkHeader;
  for (const char* framework : {"Caffe", "Torch"}) {
    for (const int batch : {8, 16, 32}) {
      csv += fmt::format("network,alexnet,titan-xp,1,{},fp32,fwd,{},,{}\n", framework, batch, 1e3 * batch);
    }
  }
  const auto model = model_of(csv, Way::affine, {"framework"});
  Asked asked("alexnet", "titan-xp", 16);
  asked.run.phase = Phase::fwd;
  const auto several = predict_network(model, asked.run);
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().code, ErrorCode::usage);
  EXPECT_THAT(several.error().message, HasSubstr("framework Caffe; framework Torch"));
  asked.run.cells["framework"] = "Torch";
  EXPECT_TRUE(predict_network(model, asked.run));
  asked.run.phase = Phase::step;
  EXPECT_THAT(predict_network(model, asked.run).error().message, HasSubstr("is for pass fwd, not step"));
}

TEST(PredictNetwork, RunsOfManyIterationsAreAskedForTheirNumber) {
  std::string csv = kFrameworkHeader;  // 2 s and 10 ms an iteration
  for (const int iterations : {100, 200, 400, 800}) {
    csv += fmt::format("network,alexnet,titan-xp,1,Caffe,fp32,fwd,8,{},{}\n", iterations, 2e6 + 1e4 * iterations);
  }
  const auto model = model_of(csv, Way::affine);
  Asked asked("alexnet", "titan-xp", 8);
  asked.run.phase = Phase::fwd;
  EXPECT_THAT(predict_network(model, asked.run).error().message, HasSubstr("iterations"));
  asked.run.iterations = 400;
  const auto prediction = predict_network(model, asked.run);
  ASSERT_TRUE(prediction) << prediction.error().text();
  EXPECT_NEAR(prediction->time.value(), 6.0 / 400, 1e-9);
}

TEST(PredictNetwork, AColumnThatDoesNotFollowIsNamed) {
  std::string csv = "op,model,gpu,precision,pass,batch,threads,time_us\n";
  for (const int threads : {1, 2, 4, 8, 16}) {
    csv += fmt::format("network,alexnet,titan-xp,fp32,fwd,8,{},{}\n", threads, 1e4 / threads);
  }
  const auto model = model_of(csv, Way::alphabet);
  Asked asked("alexnet", "titan-xp", 8);
  asked.run.phase = Phase::fwd;
  EXPECT_THAT(predict_network(model, asked.run).error().message, HasSubstr("the column 'threads'"));
  asked.run.cells["threads"] = "many";
  EXPECT_THAT(predict_network(model, asked.run).error().message, HasSubstr("'many'"));
  asked.run.cells["threads"] = "4";
  const auto prediction = predict_network(model, asked.run);
  ASSERT_TRUE(prediction) << prediction.error().text();
  EXPECT_NEAR(prediction->time.value(), 2.5e-3, 1e-5);
}

// What is said of a run counts, or is refused.
TEST(PredictNetwork, CellsThatItCannotUseAreRefused) {
  const auto model = model_of(runs(), Way::physics, {"framework"});
  const auto said = [&](const char* column, const char* cell) {
    Asked asked("alexnet", "titan-xp", 16);
    asked.run.cells[column] = cell;
    return predict_network(model, asked.run).error().text();
  };
  EXPECT_THAT(said("framwork", "x"), HasSubstr("does not use 'framwork'; did you mean 'framework'?"));
  EXPECT_THAT(said("threads", "8"), HasSubstr("does not use 'threads'"));
  EXPECT_THAT(said("flops", "1"), HasSubstr("--set: flops follows from the run"));
}

// A GPU of the user's own, which has an id that the catalogue may have too.
TEST(PredictNetwork, TheGpuIsTheOneGiven) {
  const auto model = model_of(runs(), Way::physics);
  Asked asked("alexnet", "titan-xp", 16);
  const double before = predict_network(model, asked.run)->time.value();
  for (MemoryLevel& level : asked.gpu.levels) level.bandwidth = level.bandwidth * 0.1;
  EXPECT_NE(predict_network(model, asked.run)->time.value(), before);
}

TEST(PredictNetwork, OtherKindsAndModelsWithoutGroupsAreRefused) {
  auto model = model_of(runs(), Way::affine, {"gpu"});
  for (auto& equation : model.equations) equation.group.clear();
  const Asked asked("alexnet", "titan-xp", 16);
  EXPECT_THAT(predict_network(model, asked.run).error().message, HasSubstr("fit it again"));
  model.kind = "layers";
  EXPECT_THAT(predict_network(model, asked.run).error().message, HasSubstr("kind 'layers'"));
}

}  // namespace
}  // namespace rooftile
