#include "rooftile/predict/fastest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/refined.hpp"

namespace rooftile {
namespace {

class RandomShapes {
 public:
  // Anything from `low` to `high`, as many small as large.
  std::int64_t size(double low, double high) {
    std::uniform_real_distribution<double> logarithm(std::log(low), std::log(high));
    return std::llround(std::exp(logarithm(engine_)));
  }
  bool coin() { return size(1, 4) > 1; }

  Im2col gemm() {
    return im2col(Gemm{.batch = coin() ? 1 : size(2, 64),
                       .m = size(1, 20000),
                       .n = size(1, 20000),
                       .k = size(1, 20000),
                       .trans_b = coin(),
                       .bias = coin()});
  }

  Im2col conv() {
    Conv conv{.batch = size(1, 128), .in_channels = size(1, 1024), .out_channels = size(1, 1024)};
    const std::int64_t filter = 2 * size(1, 3) - 1, in = size(7, 100), stride = size(1, 2);
    for (const std::size_t axis : {1, 2}) {
      conv.axes[axis] = {.in = in, .filter = filter, .stride = stride, .pad_begin = filter / 2, .pad_end = filter / 2};
    }
    return im2col(conv);
  }

 private:
  std::mt19937 engine_{17};
};

// What Fastest is to find, by timing every plan.
struct All {
  std::vector<LaunchPlan> plans;
  PlanTime fastest{.time = kNoLimit, .main = {}};
  LaunchPlan plan;
  Seconds least = kNoLimit;

  All(const OpShape& op, const Gpu& gpu, const GpuRates& rates) {
    each_plan(op, gpu, {}, [&](const LaunchPlan& visited) {
      LaunchPlan one = visited;
      count_loads(one, op, gpu);
      plans.push_back(one);
      const Seconds time = choice_time(one, rates);
      if (time >= least) return;
      least = time;
      plan = one;
    });
    fastest.time = plan_time(plan, rates);
  }
};

// The same with how many plans were asked for.
struct Counted {
  Fastest& fastest;
  std::size_t visits = 0;

  Seconds operator()(const LaunchPlan& plan) {
    ++visits;
    return fastest(plan);
  }
  TileLeast tile_least(const LaunchPlan& plan, Bytes loaded) { return fastest.tile_least(plan, loaded); }
};

struct Case {
  std::string gpu;
  RefinedOp op;
  DType precision;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* gpu : {"gtx-980-ti", "titan-xp", "v100-sxm2-16gb", "a100-sxm4-80gb", "h100-sxm5-80gb",
                          "b200-sxm-180gb", "rtx-4090", "mi100"}) {
    for (const RefinedOp op : {RefinedOp::gemm, RefinedOp::conv}) {
      for (const DType precision : {DType::fp32, DType::fp16}) all.push_back({gpu, op, precision});
    }
  }
  return all;
}

// Of every case with random shapes and passes: the model and the shape.
template <class Test>
void each_shape(int shapes, const Test& test) {
  RandomShapes random;
  for (const Case& one : cases()) {
    const Gpu gpu = find_gpu(one.gpu).value();
    const auto model = refined_model(one.op, gpu, {.precision = one.precision});
    if (!model) continue;
    for (int i = 0; i < shapes; ++i) {
      const Pass pass = std::array{Pass::fwd, Pass::bwd_data, Pass::bwd_weight}[static_cast<std::size_t>(i) % 3];
      const Im2col gemm = one.op == RefinedOp::gemm ? random.gemm() : random.conv();
      SCOPED_TRACE(one.gpu + ", shape " + std::to_string(i));
      test(gpu, *model, op_shape(gemm, *model, pass));
    }
  }
}

TEST(Fastest, FindsWhatTimingEveryPlanFinds) {
  each_shape(30, [](const Gpu& gpu, const RefinedModel& model, const OpShape& op) {
    const All all(op, gpu, model.rates);
    Fastest fastest(op, gpu, model.rates, model.caches, {});
    each_plan(op, gpu, {}, fastest);
    const auto found = fastest.finish();
    EXPECT_EQ(found.time.time, all.fastest.time);
    EXPECT_EQ(choice_time(found.plan, model.rates), all.least);
    EXPECT_EQ(plan_cases(found.plan, model.rates, found.time.main).by,
              plan_cases(all.plan, model.rates, launch_time(all.plan.main, model.rates)).by);
  });
}

TEST(Fastest, FindsTheSameAmongPlansMadeAhead) {
  each_shape(12, [](const Gpu& gpu, const RefinedModel& model, const OpShape& op) {
    const PlansAhead ahead = plans_ahead(op, gpu, {});
    if (!ahead.fit(gpu)) return;
    Fastest fastest(op, gpu, model.rates, model.caches, ahead.tiles);
    for (const LaunchPlan& plan : ahead.plans) fastest.visit_lasting(plan);
    EXPECT_EQ(fastest.finish().time.time, All(op, gpu, model.rates).fastest.time);
  });
}

TEST(Fastest, BoundsEveryPlanFromBelow) {
  each_shape(12, [](const Gpu& gpu, const RefinedModel& model, const OpShape& op) {
    const All all(op, gpu, model.rates);
    const bool product = op.family == KernelFamily::gemm_simt || on_tensor_cores(op.family);
    for (const LaunchPlan& plan : all.plans) {
      const bool miopen = op.family == KernelFamily::conv_miopen;
      if (product || miopen) {
        const Launch& launch = plan.main;
        const ProductTerms terms = product_terms(plan, model.rates);
        const Seconds time = terms.by_estimate ? choice_time(plan, model.rates) : plan_time(plan, model.rates);
        // What a CTA loads a step of k is not less, but where all that it loads is more than its tiles take.
        const Bytes loaded = miopen ? Bytes(0) : launch.l2_load / (launch.ctas * launch.steps);
        const TileLeast least = tile_least(plan, loaded, model.rates, terms);
        EXPECT_LE(least.at(launch.ctas, launch.steps, launch.product.split), time);
        if (miopen) {
          EXPECT_LE(least_miopen_time(plan, model.rates, terms), time);
        }
      }
      if (!has_counted_loads(plan, op)) continue;
      const TileLoads loads = tile_loads(op.gemm, plan.tile, gpu.level("L1"), op.element);
      const LeastLoads least = least_loads(loads, {loads, plan.main.resident, gpu.sm_count});
      EXPECT_LE(least.l2, plan.main.l2_load);
      EXPECT_LE(least.dram, plan.main.dram_load);
    }
  });
}

TEST(Fastest, TimesFewPlansOfAProduct) {
  std::size_t plans = 0;
  std::size_t visits = 0;
  each_shape(30, [&](const Gpu& gpu, const RefinedModel& model, const OpShape& op) {
    if (op.family != KernelFamily::gemm_simt && !on_tensor_cores(op.family)) return;
    plans += All(op, gpu, model.rates).plans.size();
    Fastest fastest(op, gpu, model.rates, model.caches, {});
    Counted counted{fastest};
    each_plan(op, gpu, {}, counted);
    visits += counted.visits;
  });
  EXPECT_LT(visits, plans / 6);
}

TEST(Fastest, OfABatchInRocblasIsThatOfOneProduct) {
  const Gpu gpu = find_gpu("mi100").value();
  const auto tile = [&](std::int64_t batch) {
    const LayerEstimate layer = estimate(Gemm{.batch = batch, .m = 512, .n = 256, .k = 512}, gpu, {});
    return std::get<RefinedKernel>(layer.breakdown.front().plan).plan.tile;
  };
  EXPECT_EQ(std::max(tile(16).m, tile(16).n), 32) << "as on MI100 (neusight/bmm.csv), whose 120 CUs it fills";
  EXPECT_EQ(tile(16).m * tile(16).n, tile(1280).m * tile(1280).n);
}

}  // namespace
}  // namespace rooftile
