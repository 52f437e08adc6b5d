#include "rooftile/traffic/launch_traffic.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {
Bytes compulsory_loads(const OpShape& op) {
  const Im2col& gemm = op.gemm;
  const double filters = gemm.k * gemm.n * gemm.groups;
  const Bytes inputs = op.element * (compulsory_elements(gemm) - filters);
  const Bytes weights = weight_of(op) * filters, results = op.element * (gemm.m * gemm.n * gemm.groups);
  switch (op.pass) {
    case Pass::fwd:
      return inputs + weights;
    case Pass::bwd_data:
      return results + weights;
    case Pass::bwd_weight:
      return inputs + results;
  }
  return {};
}

Bytes split_part(const Launch& launch, KernelFamily family) {
  const Launch::Product& product = launch.product;
  const double results = product.m * product.n * product.batch;
  constexpr Bytes kPartial{8};  // FP32, stored and loaded
  return family == KernelFamily::gemm_simt ? product.element * (2 * results) : kPartial * results;
}

Bytes split_parts(const Launch& launch, KernelFamily family) {
  const double split = launch.product.split;
  return split > 1 ? split_part(launch, family) * split : Bytes(0);
}

namespace {

// By the form of the family.
DramBytes dram_bytes(const Launch& launch, const GpuSizes& sizes) {
  if (launch.ctas > 0 && sizes.family == KernelFamily::gemm_simt) return simt_gemm_dram(launch, sizes);
  if (launch.ctas > 0 && sizes.family == KernelFamily::conv_miopen) return miopen_dram(launch, sizes);
  if (launch.ctas > 0 && on_tensor_cores(sizes.family)) {
    return tensor_gemm_dram(launch, sizes, tensor_gemm_misses(launch, sizes));
  }
  return {launch.dram_load, launch.dram_store};
}

}  // namespace

Traffic launch_traffic(const Launch& launch, const GpuSizes& sizes, const std::optional<DramBytes>& dram) {
  Traffic traffic;
  traffic.l1 = std::max(launch.l1_load, launch.l2_load);
  traffic.l2 = launch.l2_load;
  traffic.store_l2 = launch.l2_store;
  if (launch.ctas > 0 && sizes.family == KernelFamily::gemm_simt) {
    traffic.l1 += simt_gemm_bias(launch, sizes);
    traffic.l2 += simt_gemm_bias(launch, sizes);
  } else if (launch.ctas > 0 && on_tensor_cores(sizes.family)) {
    traffic.l2 = tensor_l2_loads(launch, sizes);
    traffic.l1 = std::max(traffic.l1, traffic.l2);
  }
  const Bytes parts = split_parts(launch, sizes.family);
  traffic.l1 += parts / 2;
  traffic.l2 += parts / 2;
  traffic.store_l2 += parts / 2;
  const DramBytes bytes = dram ? *dram : dram_bytes(launch, sizes);
  traffic.dram = bytes.load;
  traffic.store_dram = bytes.store;
  return traffic;
}

Traffic move_traffic(const MemoryKernel& kernel, const GpuSizes& sizes) {
  // Of what the kernel before left and the next one takes, the L2 keeps as much as it holds.
  const Bytes moved = kernel.load + kernel.store;
  const double missed =
      sizes.family == KernelFamily::conv_tensor && moved > Bytes(0) ? tensor_conv_missed(moved, sizes) : 1;
  return {.l1 = kernel.load,
          .l2 = kernel.load,
          .dram = kernel.load * missed,
          .store_l2 = kernel.store,
          .store_dram = kernel.store * missed};
}

Traffic plan_traffic(const LaunchPlan& plan, const GpuSizes& sizes, const std::optional<DramBytes>& dram) {
  Traffic traffic = launch_traffic(plan.main, sizes, dram);
  for (std::size_t i = 0; i < plan.move_count; ++i) traffic += move_traffic(plan.moves[i], sizes);
  return traffic * plan.images;
}

bool has_counted_loads(const LaunchPlan& plan, const OpShape& op) {
  return op.family == KernelFamily::conv_simt && op.pass == Pass::fwd && plan.algorithm == Algorithm::implicit_gemm &&
         plan.count() == 1;
}

const TileLoads* find_tile(std::span<const TileLoads> tiles, const Tile& tile) {
  const auto found = std::find_if(tiles.begin(), tiles.end(), [&](const TileLoads& t) { return t.tile == tile; });
  return found != tiles.end() ? &*found : nullptr;
}

std::vector<TileLoads> counted_tiles(const OpShape& op, const Gpu& gpu, const PlanOptions& options) {
  std::vector<TileLoads> tiles;
  each_plan(op, gpu, options, [&](const LaunchPlan& plan) {
    if (!has_counted_loads(plan, op) || find_tile(tiles, plan.tile) != nullptr) return;
    tiles.push_back(tile_loads(op.gemm, plan.tile, gpu.level("L1"), op.element));
  });
  return tiles;
}

void count_loads(LaunchPlan& plan, const OpShape& op, const Gpu& gpu, std::span<const TileLoads> tiles) {
  if (!has_counted_loads(plan, op)) return;
  const CacheSizes caches = cache_sizes(gpu);
  const auto count = [&](const TileLoads& loads) {
    count_loads(plan, loads, {loads, plan.main.resident, caches.sms}, caches);
  };
  if (const TileLoads* known = find_tile(tiles, plan.tile)) return count(*known);
  count(tile_loads(op.gemm, plan.tile, gpu.level("L1"), op.element));
}

void count_loads(LaunchPlan& plan, const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches) {
  const Traffic total = refined_traffic(loads, places, caches).total;
  plan.main.l1_load = total.l1;
  plan.main.l2_load = total.l2;
  plan.main.dram_load = total.dram;
}

}  // namespace rooftile
