#include "rooftile/explore/layer_constants.hpp"

#include <cstddef>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/predict/alike.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/traffic/delta.hpp"

namespace rooftile {
namespace {

constexpr double kElement = 4;  // bytes; FP32, the only precision of the paper

// Any GPU will do: what is read off the estimate does not depend on it.
Gpu any_gpu() {
  Gpu gpu;
  gpu.clock = Hertz(1);
  gpu.peaks.fill(FlopsPerSecond(1));
  gpu.l1_request = Bytes(128);
  for (const char* name : {"L1", "L2", "DRAM"}) {
    MemoryLevel level;
    level.name = name;
    level.bandwidth = BytesPerSecond(1);
    gpu.levels.push_back(level);
  }
  gpu.smem_load_bandwidth = gpu.smem_store_bandwidth = BytesPerSecond(1);
  return gpu;
}

// The kernels of an operator, each once; none where it takes no time.
Result<std::vector<UniqueLayer>> layers_of(const Workload& workload, const Op& op, double weight, const Gpu& gpu) {
  const LayerEstimate estimated = estimate(workload, op, gpu, {.method = Method::delta});
  UniqueLayer layer;
  layer.workload = workload.name;
  layer.name = op.name;
  layer.op = estimated.op;
  layer.weight = weight;
  const auto kernels = planned<DeltaKernel>(estimated);
  if (kernels.empty()) {
    if (estimated.kernels == 0) return std::vector<UniqueLayer>();
    layer.streams = true;
    layer.bytes = estimated.traffic.at_dram().value();
    layer.flops = estimated.flops.value();
    layer.work = work_of(estimated);
    return std::vector{layer};
  }
  // An operator's multiply-accumulates count with its first kernel.
  layer.work.product_macs = work_of(estimated).product_macs;
  std::vector<UniqueLayer> layers;
  for (const auto& [kernel, delta] : kernels) {
    constexpr double kMostCtas = 0x1p50;  // nearest_whole() of delta_batch.cpp
    if (delta.plan.ctas > kMostCtas) {
      return fail(ErrorCode::bad_input, fmt::format("has {:.3g} CTAs, more than are counted", delta.plan.ctas),
                  op.name);
    }
    layer.gemm = delta.gemm;
    layer.count = kernel.count;
    layers.push_back(layer);
    layer.work = {};
  }
  return layers;
}

std::size_t kernel_index(std::vector<KernelConstants>& kernels, const Kernel& kernel) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].kernel.tile == kernel.tile) return i;
  }
  const Tile& tile = kernel.tile;
  const double depth = tile.k;
  kernels.push_back(
      {.kernel = kernel,
       .inputs = (static_cast<double>(tile.m) + tile.n) * depth * kElement,
       .warp_inputs = (static_cast<double>(kernel.warp_m) + kernel.warp_n) * depth * kernel.warps * kElement,
       .outputs = static_cast<double>(tile.m) * tile.n * kElement,
       .work = 2.0 * tile.m * tile.n * depth,
       .depth = depth});
  return kernels.size() - 1;
}

}  // namespace

Result<std::vector<UniqueLayer>> unique_layers(const Workload& workload, double weight, bool convolutions_only) {
  const Gpu gpu = any_gpu();
  const std::vector<std::size_t> first = first_alike(workload);
  std::vector<double> alike(first.size(), 0);  // operators of each kind, at the first of them
  for (const std::size_t op : first) ++alike[op];
  std::vector<UniqueLayer> layers;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Op& op = workload.ops[i];
    if (first[i] != i || (convolutions_only && !std::holds_alternative<Conv>(op.kind))) continue;
    auto own = TRY(layers_of(workload, op, weight, gpu));
    for (UniqueLayer& layer : own) {
      const RunWork one = layer.work;
      layer.work.add(one, alike[i] - 1);
      layer.count *= alike[i];
      layers.push_back(std::move(layer));
    }
  }
  if (!layers.empty()) return layers;
  return fail(ErrorCode::bad_input, convolutions_only ? "has no convolution" : "has no operator that takes time",
              workload.name);
}

NetworkConstants network_constants(const std::vector<UniqueLayer>& layers, const Gpu& gpu, double tile_rows) {
  NetworkConstants network;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const UniqueLayer& layer = layers[i];
    network.work.add(layer.work, layer.weight);
    if (layer.streams) {
      network.streams.push_back({layer.bytes, layer.flops, layer.count * layer.weight});
      network.stream_of.push_back(i);
      continue;
    }
    const Plan plan = tile_plan(layer.gemm, gpu, tile_rows);
    const DeltaTraffic traffic = delta_traffic(layer.gemm, plan, gpu.l1_request);
    network.layers.push_back({.kernel = kernel_index(network.kernels, plan.kernel),
                              .ctas = plan.ctas,
                              .loops = plan.loops,
                              .l1 = traffic.l1_per_loop.value(),
                              .l2 = traffic.l2_per_loop.value(),
                              .dram = traffic.dram_per_loop.value(),
                              .count = layer.count * layer.weight});
    const RunWork bytes = {.l1 = traffic.total.l1.value(),
                           .l2 = traffic.total.l2.value(),
                           .dram = (traffic.total.dram + traffic.total.store_dram).value()};
    network.work.add(bytes, layer.count * layer.weight);
    network.layer_of.push_back(i);
  }
  return network;
}

}  // namespace rooftile
