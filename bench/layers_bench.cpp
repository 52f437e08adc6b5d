// Layer predictions a second on one core, over the unique convolutions of the four networks of the DeLTA paper, and
// over random products. items_per_second is layers a second; a complete one is the plan, traffic at three levels and
// six cases of time.
#include <algorithm>
#include <cmath>
#include <random>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/call.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

std::vector<Conv> unique_layers() {
  std::vector<Conv> layers;
  for (const ZooEntry& entry : delta_networks()) {
    for (const Op& op : entry.build(256).ops) {
      const auto* conv = std::get_if<Conv>(&op.kind);
      if (conv != nullptr && std::find(layers.begin(), layers.end(), *conv) == layers.end()) layers.push_back(*conv);
    }
  }
  return layers;
}

Gpu titan_xp() { return find_gpu("titan-xp-delta").value(); }

void count_layers(benchmark::State& state, std::size_t layers) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(layers));
}

// The core as a sweep over designs would call it: geometry, plan, traffic and time, nothing allocated.
void delta_core(benchmark::State& state) {
  const std::vector<Conv> layers = unique_layers();
  const Gpu gpu = titan_xp();
  for (auto _ : state) {
    const DeltaRates rates = delta_rates(gpu);
    for (const Conv& conv : layers) {
      const Im2col gemm = im2col(conv);
      const Plan plan = delta_plan(gemm, gpu);
      const DeltaTraffic traffic = delta_traffic(gemm, plan, gpu.l1_request);
      benchmark::DoNotOptimize(delta_time(plan, traffic, rates));
    }
  }
  count_layers(state, layers.size());
}
BENCHMARK(delta_core);

// The same through estimate(), with everything that a report needs.
void estimate_layers(benchmark::State& state) {
  const std::vector<Conv> layers = unique_layers();
  const Gpu gpu = titan_xp();
  for (auto _ : state) {
    for (const Conv& conv : layers) benchmark::DoNotOptimize(estimate(conv, gpu, {.method = Method::delta}));
  }
  count_layers(state, layers.size());
}
BENCHMARK(estimate_layers);

// The refined method: every algorithm and tile of each layer, timed.
void estimate_rooftile(benchmark::State& state) {
  const std::vector<Conv> layers = unique_layers();
  const Gpu gpu = find_gpu("titan-xp").value();
  for (auto _ : state) {
    for (const Conv& conv : layers) benchmark::DoNotOptimize(estimate(conv, gpu));
  }
  count_layers(state, layers.size());
}
BENCHMARK(estimate_rooftile);

void estimate_each(benchmark::State& state, const std::vector<LayerCall>& calls, const Gpu& gpu,
                   RefinedModels& models) {
  LayerEstimate layer;
  for (auto _ : state) {
    for (const LayerCall& call : calls) {
      estimate(call, gpu, models, layer);
      benchmark::DoNotOptimize(layer.time);
    }
  }
  count_layers(state, calls.size());
}

// The same from calls made once, as explore and sensitivity estimate them on GPU after GPU.
void estimate_calls(benchmark::State& state) {
  const Gpu gpu = find_gpu("titan-xp").value();
  RefinedModels models;
  std::vector<LayerCall> calls;
  for (const Conv& conv : unique_layers()) {
    LayerCall& call = calls.emplace_back(call_of(conv, {.breakdown = false}));
    plan_ahead(call, gpu, models);
  }
  estimate_each(state, calls, gpu, models);
}
BENCHMARK(estimate_calls);

// Of 16 to 16,384 a side.
std::vector<Gemm> random_products() {
  constexpr std::size_t kProducts = 200;
  constexpr double kLeast = 16, kOctaves = 10;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same each time
  const auto side = [&] {
    const double part = static_cast<double>(random()) / static_cast<double>(random.max());
    return static_cast<std::int64_t>(kLeast * std::exp2(kOctaves * part));
  };
  std::vector<Gemm> products(kProducts);
  for (Gemm& product : products) product.m = side(), product.n = side(), product.k = side();
  return products;
}

void estimate_products(benchmark::State& state, const char* gpu_id, const PredictOptions& options) {
  const std::vector<Gemm> products = random_products();
  const Gpu gpu = find_gpu(gpu_id).value();
  for (auto _ : state) {
    for (const Gemm& product : products) benchmark::DoNotOptimize(estimate(product, gpu, options));
  }
  count_layers(state, products.size());
}

void estimate_product_calls(benchmark::State& state, const char* gpu_id, PredictOptions options) {
  options.breakdown = false;
  const Gpu gpu = find_gpu(gpu_id).value();
  RefinedModels models;
  std::vector<LayerCall> calls;
  for (const Gemm& product : random_products()) calls.push_back(call_of(product, options));
  estimate_each(state, calls, gpu, models);
}

const PredictOptions kDelta = {.method = Method::delta}, kLanes = {}, kTensorCores = {.precision = DType::fp16};
BENCHMARK_CAPTURE(estimate_products, delta, "v100-sxm2-16gb", kDelta);
BENCHMARK_CAPTURE(estimate_products, v100, "v100-sxm2-16gb", kLanes);
BENCHMARK_CAPTURE(estimate_products, a100, "a100-sxm4-80gb", kLanes);
BENCHMARK_CAPTURE(estimate_products, v100_tensor, "v100-sxm2-16gb", kTensorCores);
BENCHMARK_CAPTURE(estimate_product_calls, delta, "v100-sxm2-16gb", kDelta);
BENCHMARK_CAPTURE(estimate_product_calls, v100, "v100-sxm2-16gb", kLanes);
BENCHMARK_CAPTURE(estimate_product_calls, a100, "a100-sxm4-80gb", kLanes);
BENCHMARK_CAPTURE(estimate_product_calls, v100_tensor, "v100-sxm2-16gb", kTensorCores);

// Every op of a network, streaming ones included, and the peak of memory in use.
void predict_resnet152(benchmark::State& state) {
  Workload workload;
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == "resnet152") workload = entry.build(256);
  }
  const Gpu gpu = titan_xp();
  for (auto _ : state) benchmark::DoNotOptimize(predict(workload, gpu));
  count_layers(state, workload.ops.size());
}
BENCHMARK(predict_resnet152)->Unit(benchmark::kMicrosecond);

void build_resnet152(benchmark::State& state) {
  for (auto _ : state) {
    for (const ZooEntry& entry : zoo()) {
      if (entry.name == "resnet152") benchmark::DoNotOptimize(entry.build(256));
    }
  }
}
BENCHMARK(build_resnet152)->Unit(benchmark::kMicrosecond);

void read_gpu_file(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(find_gpu("titan-xp"));
}
BENCHMARK(read_gpu_file)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rooftile
