#include "rooftile/explore/predict_evaluator.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rooftile/explore/design_evaluation.hpp"
#include "rooftile/explore/space.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"

namespace rooftile {
namespace {

struct Case {
  std::string model, gpu;
  DType precision = DType::fp32;
  Phase phase = Phase::fwd;
};

// Few designs of everything that the refined method reads; some change what SMs hold, most do not.
DesignSpace space_around(const Gpu& base) {
  DesignSpace space;
  space.gpu = base.id;
  space.base = base;
  space.sampling = Sampling::random;
  space.samples = 12;
  for (const Parameter parameter : {Parameter::sm_count, Parameter::clock, Parameter::l1_capacity,
                                    Parameter::l2_capacity, Parameter::l2_bandwidth, Parameter::dram_bandwidth}) {
    const double now = at(design_of(base), parameter);
    space.axes.push_back({.parameter = parameter, .values = {now / 2, now * 2}, .range = true});
  }
  const double registers = at(design_of(base), Parameter::registers);
  space.axes.push_back({.parameter = Parameter::registers, .values = {registers, registers, registers / 2}});
  return space;
}

// Every layer of every design takes the same time, to the last bit, whether its plans were made ahead or not.
TEST(PredictEvaluator, IsPredict) {
  for (const Case& one : {Case{"resnet50", "titan-xp"}, Case{"resnet50", "titan-xp", DType::fp32, Phase::step},
                          Case{"resnet50", "v100-sxm2-16gb", DType::fp16, Phase::step}, Case{"resnet50", "mi210"},
                          Case{"bert_large", "a100-sxm4-80gb", DType::bf16, Phase::step}, Case{"gpt2", "p4"},
                          Case{"gpt2", "h100-sxm5-80gb", DType::fp16}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", one.model, one.gpu, name_of(one.phase)));
    const DesignSpace space = space_around(find_gpu(one.gpu).value());
    const Workload workload = load_model(one.model, {.batch_size = 8}).value();
    const PredictOptions options{.precision = one.precision, .host = false};
    const PredictEvaluator evaluator({{.workload = workload, .phase = one.phase}}, space.base, options);
    for (std::uint64_t index = 0; index < space.samples; ++index) {
      const DesignPoint point = design_at(space, index);
      const Prediction prediction = predict(workload, with_design(space.base, point), options, one.phase).value();
      std::map<std::string, Seconds> times;
      for (const LayerEstimate& layer : prediction.layers) {
        times[layer.name + (layer.pass == Pass::fwd ? "" : fmt::format(" {}", name_of(layer.pass)))] = layer.time;
      }
      const DesignOutcome outcome = evaluate_one(evaluator, point);
      EXPECT_NEAR(outcome.time / prediction.time.value(), 1, 1e-12);
      ASSERT_EQ(outcome.layers.size(), evaluator.layers().size());
      for (std::size_t l = 0; l < outcome.layers.size(); ++l) {
        EXPECT_EQ(outcome.layers[l], times.at(evaluator.layers()[l].name).value()) << evaluator.layers()[l].name;
      }
    }
  }
}

TEST(PredictEvaluator, CountsLayersThatAreAlike) {
  const Workload workload = load_model("resnet50", {.batch_size = 8}).value();
  const Gpu gpu = find_gpu("titan-xp").value();
  const PredictEvaluator inference({{.workload = workload}}, gpu, {});
  const PredictEvaluator training({{.workload = workload, .phase = Phase::step}}, gpu, {});
  const PredictEvaluator convolutions({{.workload = workload, .convolutions_only = true}}, gpu, {});
  const auto layers_of = [](const PredictEvaluator& evaluator) {
    double sum = 0;
    for (const LayerColumn& layer : evaluator.layers()) sum += layer.count;
    return sum;
  };
  EXPECT_EQ(layers_of(convolutions), 53);
  EXPECT_GT(layers_of(training), 2 * layers_of(inference));
  EXPECT_LT(static_cast<double>(training.layers().size()), layers_of(training) / 2);
}

TEST(PredictEvaluator, ReadsTheCachesThatDeltaDoesNot) {
  const PredictEvaluator evaluator({{.workload = load_model("alexnet").value()}}, find_gpu("titan-xp").value(), {});
  EXPECT_TRUE(evaluator.reads(Parameter::l2_capacity));
  EXPECT_FALSE(evaluator.reads(Parameter::cta_tile));
}

// Tiles that no SM holds a CTA of are not taken; where it holds none at all, the design is none.
TEST(PredictEvaluator, DesignsHoldACtaAtLeast) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const WeightedWorkload alexnet{.workload = load_model("alexnet", {.batch_size = 64}).value()};
  const PredictEvaluator evaluator({alexnet}, gpu, {});
  DesignPoint point = design_of(gpu);
  const double time = evaluate_one(evaluator, point).time;
  at(point, Parameter::registers) = 16384;  // 128x128 takes twice as many
  EXPECT_GT(evaluate_one(evaluator, point).time, time);
  at(point, Parameter::registers) = 8192;
  EXPECT_EQ(evaluate_one(evaluator, point).unfit, Unfit::registers);
  const PredictEvaluator roofline({alexnet}, gpu, {.method = Method::roofline});
  EXPECT_EQ(evaluate_one(roofline, point).unfit, Unfit::none);
}

}  // namespace
}  // namespace rooftile
