// The bytes that are reported are those that times are computed from: every layer of every network of the zoo, on every
// GPU, by every family of kernels.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "tests/property/random.hpp"
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/phase_calls.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/timing/roofline.hpp"
#include "rooftile/timing/tile_time.hpp"
#include "rooftile/traffic/attention_traffic.hpp"
#include "rooftile/traffic/launch_traffic.hpp"
#include "rooftile/zoo/test_network.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

constexpr double kRounding = 1e-9;  // relative, for sums that are formed in a different order

// What the bytes of a level take at its effective bandwidth: the families' own words for it (docs/theory.md).
struct LevelTimes {
  Seconds l2, dram;
};

LevelTimes conv_times(const LaunchPlan& plan, const GpuRates& rates) {
  const Constants& c = rates.constants;
  const double unaligned = plan.main.aligned_store ? 1 : 1 + c[ConvConstant::unaligned_store];
  const Traffic main = launch_traffic(plan.main, rates), all = plan_traffic(plan, rates);
  return {all.at_l2() / (rates.l2 * c[ConvConstant::l2_efficiency]),
          main.dram / (rates.dram * c[ConvConstant::dram_load_efficiency]) +
              main.store_dram / (rates.dram * c[ConvConstant::dram_store_efficiency] / unaligned) +
              (all.at_dram() - main.at_dram()) / (rates.dram * c[ConvConstant::stream_efficiency])};
}

LevelTimes simt_gemm_times(const LaunchPlan& plan, const GpuRates& rates) {
  const BytesPerSecond l2 = rates.l2 * rates.constants[SimtGemmConstant::l2_efficiency];
  const double running = std::min(1.0, plan.main.ctas / rates.sms);  // share of the SMs that draw
  const Traffic traffic = plan_traffic(plan, rates);
  return {plan.main.l2_load / (l2 * running) + (traffic.at_l2() - plan.main.l2_load) / l2,
          traffic.at_dram() / (rates.dram * rates.constants[SimtGemmConstant::dram_efficiency])};
}

// A tile of C, of what of it is not beyond the edge of C.
Bytes tile_of_results(const Launch::Product& product) {
  const Bytes element = product.result > Bytes(0) ? product.result : product.element;
  return element * (std::min(product.tile_m, product.m) * std::min(product.tile_n, product.n));
}

LevelTimes tensor_times(const LaunchPlan& plan, const GpuRates& rates) {
  const Constants& c = rates.constants;
  const Traffic traffic = launch_traffic(plan.main, rates);
  Traffic moved;
  for (std::size_t i = 0; i < plan.move_count; ++i) moved += move_traffic(plan.moves[i], rates);
  const BytesPerSecond l2 = rates.l2 * c[TensorConstant::l2_efficiency];
  const Bytes parts = split_parts(plan.main, rates.family);
  // The busiest SM stores its tiles through its share of the L2, `epilogue` times.
  const BusiestSm busiest(plan.main, rates.sms, c[TensorConstant::wave_overlap]);
  const Seconds stores =
      c[TensorConstant::epilogue] * busiest.ctas * tile_of_results(plan.main.product) / (rates.l2 / rates.sms);
  Seconds dram = traffic.at_dram() / (rates.dram * c[TensorConstant::dram_efficiency]);
  if (plan.move_count > 0) dram += moved.at_dram() / (rates.dram * c[TensorConstant::convert_efficiency]);
  return {(traffic.l2 - parts / 2 + moved.at_l2()) / l2 + stores + parts / rates.l2, dram};
}

// The busiest CU stores 16 bytes a clock, `epilogue` times, or as fast as the L2 takes all stores.
LevelTimes miopen_times(const LaunchPlan& plan, const GpuRates& rates) {
  const Constants& c = rates.constants;
  const Traffic main = launch_traffic(plan.main, rates);
  Seconds dram = main.at_dram() / (rates.dram * c[MiopenConstant::dram_efficiency]);
  const Bytes parts = split_parts(plan.main, rates.family);
  Bytes l2 = main.l2 + parts / 2;
  for (std::size_t i = 0; i < plan.move_count; ++i) {
    const auto efficiency =
        plan.moves[i].unfolds ? MiopenConstant::unfold_efficiency : MiopenConstant::transpose_efficiency;
    const Traffic moved = move_traffic(plan.moves[i], rates);
    dram += moved.at_dram() / (rates.dram * c[efficiency]);
    l2 += moved.at_l2();
  }
  constexpr Bytes kStored{16};
  const BusiestSm busiest(plan.main, rates.sms, c[MiopenConstant::wave_overlap]);
  const Seconds stored = c[MiopenConstant::epilogue] * busiest.ctas * (tile_of_results(plan.main.product) / kStored) *
                         Cycles(1) / rates.clock;
  const Seconds stores = std::max(stored, plan.main.l2_store / rates.l2);
  return {(l2 / rates.l2 + stores) * plan.images, dram * plan.images};
}

LevelTimes product_times(const LaunchPlan& plan, const GpuRates& rates) {
  if (rates.family == KernelFamily::conv_simt) return conv_times(plan, rates);
  if (rates.family == KernelFamily::gemm_simt) return simt_gemm_times(plan, rates);
  if (rates.family == KernelFamily::conv_miopen) return miopen_times(plan, rates);
  return tensor_times(plan, rates);
}

LevelTimes stream_times(const Traffic& traffic, const GpuRates& rates) {
  const Constants& c = rates.constants;
  return {traffic.at_l2() / (rates.l2 * c[StreamConstant::l2_efficiency]),
          traffic.dram / rates.dram + traffic.store_dram / (rates.dram * c[StreamConstant::dram_store_efficiency])};
}

LevelTimes attention_times(const AttentionPlan& plan, const GpuRates& rates) {
  const AttentionTraffic traffic = attention_traffic(plan, rates);
  // The L2 serves at its whole rate what the tiles of a prompt load again and the combined parts.
  const Bytes whole_rate = traffic.combine.at_l2() + plan.streamed_again();
  const Bytes l2 = traffic.total().at_l2() - whole_rate;
  return {l2 / (rates.l2 * rates.constants[AttentionConstant::l2_efficiency]) + whole_rate / rates.l2,
          traffic.total().at_dram() / (rates.dram * rates.constants[AttentionConstant::dram_efficiency])};
}

// Put into words only where something is wrong there.
struct Place {
  std::string_view network, layer, gpu;
  const PredictOptions* options = nullptr;
};

std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.network << " " << place.layer << " on " << place.gpu << " " << name_of(place.options->method)
             << " " << name_of(place.options->precision) << " " << name_of(place.options->pass);
}

void expect_equal(Seconds a, Seconds b, const Place& where, std::string_view level) {
  EXPECT_NEAR(a.value(), b.value(), kRounding * std::max(a.value(), b.value()) + 1e-18) << where << " " << level;
}

RefinedOp op_of(const LayerEstimate& layer, const KernelEstimate& kernel) {
  if (std::holds_alternative<AttentionPlan>(kernel.plan)) return RefinedOp::attention;
  if (std::holds_alternative<StreamKernel>(kernel.plan)) return RefinedOp::stream;
  return layer.op == "conv" ? RefinedOp::conv : RefinedOp::gemm;
}

// What the L2 loads from DRAM beside what it is asked for (docs/theory.md, "Bytes").
struct Fills {
  double lines = 1;   // loaded for each part of one that is asked for
  Bytes merged = {};  // of lines that kernels store in part or add to
};

Fills fills_of(const KernelEstimate& kernel, KernelFamily family) {
  constexpr double kSectorsOfLine = 4;
  if (const auto* attention = std::get_if<AttentionPlan>(&kernel.plan)) return {.merged = attention->added};
  const auto* product = std::get_if<RefinedKernel>(&kernel.plan);
  if (product == nullptr) return {};
  const Launch& launch = product->plan.main;
  const bool by_sectors = launch.product.k_contiguous_a || launch.product.k_contiguous_b;
  if (family == KernelFamily::gemm_simt && by_sectors) return {.lines = kSectorsOfLine};
  if (family == KernelFamily::conv_miopen && launch.gradient) return {.merged = launch.l2_store};
  return {};
}

// What comes from DRAM comes through the L2, and what comes from there through the L1.
void check_order(const Traffic& traffic, const Fills& fills, const Place& where) {
  EXPECT_LE(traffic.dram, (traffic.l2 * fills.lines + fills.merged) * (1 + kRounding)) << where;
  EXPECT_LE(traffic.store_dram, traffic.store_l2 * (1 + kRounding)) << where;
  EXPECT_LE(traffic.l2, traffic.l1 * (1 + kRounding)) << where;
  EXPECT_LE(traffic.compulsory, traffic.l2 * (1 + kRounding)) << where;
}

void check_kernel(const LayerEstimate& layer, const KernelEstimate& kernel, const Gpu& gpu,
                  const PredictOptions& options, RefinedModels& models, const Place& where) {
  const RefinedModel* model = models.find(op_of(layer, kernel), gpu, options);
  ASSERT_TRUE(model) << where;
  check_order(kernel.traffic, fills_of(kernel, model->family), where);
  LevelTimes times;
  if (const auto* product = std::get_if<RefinedKernel>(&kernel.plan)) {
    times = product_times(product->plan, model->rates);
  } else if (const auto* attention = std::get_if<AttentionPlan>(&kernel.plan)) {
    times = attention_times(*attention, model->rates);
  } else if (std::holds_alternative<StreamKernel>(kernel.plan)) {
    times = stream_times(kernel.traffic, model->rates);
  } else {
    return;
  }
  expect_equal(kernel.cases[Bottleneck::l2], times.l2, where, "l2");
  expect_equal(kernel.cases[Bottleneck::dram], times.dram, where, "dram");
}

// No level moves more than its bandwidth allows, in the time that it would take alone and in that of the layer.
void check_levels(const LayerEstimate& layer, const Gpu& gpu, const Place& where) {
  const Seconds time = layer.time * (1 + kRounding);
  const BytesPerSecond dram = gpu.level("DRAM").bandwidth, l2 = gpu.level("L2").bandwidth;
  EXPECT_LE(layer.traffic.at_dram() / dram, layer.cases[Bottleneck::dram] * (1 + kRounding)) << where;
  EXPECT_LE(layer.traffic.at_dram() / dram, time) << where;
  if (layer.cases[Bottleneck::l2] > Seconds(0)) {
    EXPECT_LE(layer.traffic.at_l2() / l2, layer.cases[Bottleneck::l2] * (1 + kRounding)) << where;
  }
  EXPECT_LE(layer.traffic.at_l2() / l2, time) << where;
  EXPECT_LE(layer.traffic.at_l1() / (gpu.level("L1").bandwidth * gpu.sm_count), time) << where;
}

void check_sum(const LayerEstimate& layer, const Place& where) {
  Traffic sum;
  for (const KernelEstimate& kernel : layer.breakdown) sum += kernel.traffic * kernel.count;
  const auto expect_sum = [&](Bytes whole, Bytes parts) {
    EXPECT_NEAR(whole.value(), parts.value(), kRounding * whole.value()) << where;
  };
  expect_sum(layer.traffic.l1, sum.l1);
  expect_sum(layer.traffic.l2, sum.l2);
  expect_sum(layer.traffic.dram, sum.dram);
  expect_sum(layer.traffic.store_l2, sum.store_l2);
  expect_sum(layer.traffic.store_dram, sum.store_dram);
  expect_sum(layer.traffic.compulsory, sum.compulsory);
}

// Of each layer that is not like one before it.
void check(const Workload& network, const Gpu& gpu, const PredictOptions& options, Phase phase) {
  const auto prediction = predict(network, gpu, options, phase);
  PredictOptions own = options;
  own.pass_bytes = pass_bytes(run_as(network, options, phase), phase);
  ASSERT_TRUE(prediction) << prediction.error().text();
  RefinedModels models;
  std::set<std::tuple<std::string_view, double, double>> seen;
  for (const LayerEstimate& layer : prediction->layers) {
    if (!seen.emplace(layer.op, layer.time.value(), layer.traffic.l1.value()).second) continue;
    const Place where = {network.name, layer.name, gpu.id, &options};
    check_sum(layer, where);
    if (layer.time > Seconds(0)) check_levels(layer, gpu, where);
    if (options.method != Method::rooftile) continue;
    for (const KernelEstimate& kernel : layer.breakdown) check_kernel(layer, kernel, gpu, own, models, where);
    if (testing::Test::HasFailure()) return;
  }
}

constexpr std::array kPrecisions = {DType::fp32, DType::fp16};
constexpr std::array<std::int64_t, 2> kBatches = {1, 64};

// Every network on one GPU of each kind of kernel and each GPU with some networks, precisions and batch sizes in turn:
// the whole product takes minutes under sanitizers.
TEST(Bytes, TakeTheTimeThatTheyAreReportedFor) {
  std::size_t turn = 0;
  for (const char* id : {"titan-xp", "h100-sxm5-80gb", "mi300x"}) {
    const Gpu gpu = find_gpu(id).value();
    for (const ZooEntry& entry : zoo()) {
      for (const DType precision : kPrecisions) {
        const Workload network = build_shallow(entry, kBatches[turn++ % 2]);
        check(network, gpu, {.method = Method::rooftile, .precision = precision}, Phase::fwd);
        if (HasFailure()) return;
      }
    }
    ++turn;  // the other batch size of each precision
  }
  for (const std::string& id : gpu_ids()) {
    const Gpu gpu = find_gpu(id).value();
    for (const DType precision : kPrecisions) {
      if (!peak_of(precision, gpu)) continue;
      for (const std::int64_t batch : kBatches) {
        const ZooEntry& entry = zoo()[turn++ % zoo().size()];
        check(build_shallow(entry, batch), gpu, {.method = Method::rooftile, .precision = precision}, Phase::fwd);
        if (HasFailure()) return;
      }
    }
  }
}

// All GPUs in turn, of which neighbours seldom have one architecture.
std::vector<std::string> mixed_gpus() {
  const std::vector<std::string> ids = gpu_ids();
  std::size_t stride = 7;
  while (std::gcd(stride, ids.size()) != 1) ++stride;
  std::vector<std::string> mixed;
  for (std::size_t i = 0; i < ids.size(); ++i) mixed.push_back(ids[i * stride % ids.size()]);
  return mixed;
}

// Each network in one precision on one GPU that has it.
TEST(Bytes, OfGradientsToo) {
  const std::vector<std::string> ids = mixed_gpus();
  std::size_t next = 0;
  for (std::size_t n = 0; n < zoo().size(); ++n) {
    const DType precision = kPrecisions[n / 2 % 2];
    Gpu gpu = find_gpu(ids[next++ % ids.size()]).value();
    while (!peak_of(precision, gpu)) gpu = find_gpu(ids[next++ % ids.size()]).value();
    check(build_shallow(zoo()[n], 8), gpu, {.method = Method::rooftile, .precision = precision}, Phase::step);
    if (HasFailure()) return;
  }
}

// Whose kernels end with loads for what is fused into them.
TEST(Bytes, OfFusedOperatorsToo) {
  const std::vector<std::string> ids = mixed_gpus();
  std::size_t next = 0;
  for (const ZooEntry& entry : zoo()) {
    const Workload network = build_shallow(entry, 8);
    for (const Execution execution : {Execution::engine, Execution::compiled}) {
      for (const Method method : {Method::rooftile, Method::roofline, Method::delta}) {
        const Gpu gpu = find_gpu(ids[next++ % ids.size()]).value();
        const PredictOptions options{.method = method, .precision = DType::fp32, .execution = execution};
        check(network, gpu, options, Phase::fwd);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Bytes, OfTheRooflineToo) {
  const Gpu gpu = find_gpu("titan-xp").value();
  for (const ZooEntry& entry : zoo()) check(build_shallow(entry, 8), gpu, {.method = Method::roofline}, Phase::step);
}

// Shapes that no network has, in every pass: few rows, strides beyond the filter, one column of tiles.
TEST(Bytes, OfRandomLayersToo) {
  EXPECT_TRUE(rc::check([] {
    static const std::vector<std::string> ids = gpu_ids();
    const Gpu gpu = find_gpu(*rc::gen::elementOf(ids)).value();
    const DType precision = *rc::gen::element(DType::fp32, DType::fp16, DType::bf16);
    if (!peak_of(precision, gpu)) return;
    const Conv conv = property::random_conv(false);
    const Gemm gemm = property::random_gemm();
    for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
      const PredictOptions options{.pass = pass, .precision = precision};
      RefinedModels models;
      for (const LayerEstimate& layer : {estimate(conv, gpu, options), estimate(gemm, gpu, options)}) {
        const Place where = {"random", layer.op, gpu.id, &options};
        for (const KernelEstimate& kernel : layer.breakdown) check_kernel(layer, kernel, gpu, options, models, where);
        RC_ASSERT(!testing::Test::HasFailure());
      }
    }
  }));
}

// Of recurrent layers, which no network of the zoo has.
TEST(Bytes, OfRecurrentLayersToo) {
  for (const std::string& id : gpu_ids()) {
    const Gpu gpu = find_gpu(id).value();
    for (const char* cell : {"lstm", "gru", "vanilla"}) {
      Recurrent recurrent;
      recurrent.cell = cell;
      recurrent.batch = 32;
      recurrent.steps = 20;
      recurrent.input = recurrent.hidden = 512;
      recurrent.layers = 2;
      for (const Pass pass : {Pass::fwd, Pass::bwd_data, Pass::bwd_weight}) {
        const PredictOptions options{.pass = pass};
        const LayerEstimate layer = estimate(recurrent, gpu, options);
        const Place where = {cell, "", id, &options};
        check_sum(layer, where);
        check_levels(layer, gpu, where);
        if (HasFailure()) return;
      }
    }
  }
}

// Known to be wrong: kernels of convolutions are not timed by what they ask the L1 for, which for filters that are as
// far apart as they are wide, in half precision, is more than it serves in that time.
TEST(Bytes, OfPatchesInHalfPrecisionAreMoreThanTheL1OfAP100Serves) {
  const Gpu gpu = find_gpu("p100-delta").value();
  Conv patches;
  patches.batch = 8;
  patches.in_channels = 3;
  patches.out_channels = 384;
  patches.axes[1] = patches.axes[2] = {.in = 224, .filter = 16, .stride = 16};
  const LayerEstimate layer = estimate(patches, gpu, {.precision = DType::fp16});
  const BytesPerSecond l1 = gpu.level("L1").bandwidth * gpu.sm_count;
  EXPECT_NEAR(layer.traffic.at_l1() / l1 / layer.time, 1.15, 0.01);
}

// What a profiler's user would add up: these were 812 MB in one report and 2,318 MB in another, and 5,262 GB/s on a
// board of 450.
TEST(Bytes, OfTwoLayersOfResNet50OnTitanXp) {
  const Gpu gpu = find_gpu("titan-xp").value();
  Conv first;
  first.batch = 256;
  first.in_channels = 3;
  first.out_channels = 64;
  first.axes[1] = first.axes[2] = {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  Conv projection;
  projection.batch = 256;
  projection.in_channels = 1024;
  projection.out_channels = 2048;
  projection.axes[1] = projection.axes[2] = {.in = 14, .filter = 1, .stride = 2};
  for (const Conv& conv : {first, projection}) {
    const PredictOptions options;
    const LayerEstimate layer = estimate(conv, gpu, options);
    const auto* product = first_plan<RefinedKernel>(layer);
    ASSERT_NE(product, nullptr);
    EXPECT_EQ(layer.traffic.l2, product->plan.main.l2_load);
    EXPECT_EQ(layer.traffic.dram, product->plan.main.dram_load);
    check_levels(layer, gpu, {"resnet50", "conv", gpu.id, &options});
  }
}

}  // namespace
}  // namespace rooftile
