// The bytes that the launches of a plan move, before any clock: what times are computed from and what reports show.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rooftile/plan/candidates.hpp"
#include "rooftile/plan/launch.hpp"
#include "rooftile/traffic/gpu_sizes.hpp"
#include "rooftile/traffic/refined.hpp"
#include "rooftile/traffic/tile_loads.hpp"
#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

struct DramBytes {
  Bytes load, store;
};

// One kernel of the family of `sizes`; its compulsory bytes are not counted here. `dram`: what it loads from and stores
// in DRAM, where that was counted before.
Traffic launch_traffic(const Launch& launch, const GpuSizes& sizes, const std::optional<DramBytes>& dram = {});
Traffic move_traffic(const MemoryKernel& kernel, const GpuSizes& sizes);

// All kernels of a plan; `dram` of the one that multiplies.
Traffic plan_traffic(const LaunchPlan& plan, const GpuSizes& sizes, const std::optional<DramBytes>& dram = {});

// What a product loads whatever its plan: both operands of its pass, each element that is used once.
Bytes compulsory_loads(const OpShape& op);

// Parts of split sums, stored in the L2 and loaded from it, beside the launch's own bytes: of each part, and all of
// them.
Bytes split_part(const Launch& launch, KernelFamily family);
Bytes split_parts(const Launch& launch, KernelFamily family);

// Shares of the operands that come from DRAM.
struct Misses {
  double activations = 1, weights = 1;
};
// Of what was used `between` bytes ago, the share that an L2 still has of which `copy` bytes serve one SM: the operands
// of products on tensor cores (docs/theory/tensor_cores.md).
double share_kept(Bytes between, Bytes copy, double warm_share);

// Of bytes that kernels of a convolution leave to each other in the L2: the share that does not fit.
double tensor_conv_missed(Bytes bytes, const GpuSizes& sizes);

// CTAs that a load from the L2 serves; what they load, each operand once at least.
double shared_loads(const Launch& launch, const GpuSizes& sizes);
Bytes tensor_l2_loads(const Launch& launch, const GpuSizes& sizes);

// Of a product on tensor cores, whatever its kernel.
Misses tensor_gemm_misses(const Launch& launch, const GpuSizes& sizes);

// A GEMM on the FP32 lanes (docs/theory/cuda_cores.md, "Products", item 3); the same if each operand is loaded once.
DramBytes simt_gemm_dram(const Launch& launch, const GpuSizes& sizes);
DramBytes simt_gemm_once(const Launch& launch, const GpuSizes& sizes);
// Of that, what is in C before it is added to: a bias.
Bytes simt_gemm_bias(const Launch& launch, const GpuSizes& sizes);

// A GEMM, or a convolution as such, on tensor cores: what the L2 does not hold from before, and what waves read again;
// the same without the latter. `misses` are tensor_gemm_misses().
DramBytes tensor_gemm_dram(const Launch& launch, const GpuSizes& sizes, const Misses& misses);
DramBytes tensor_gemm_once(const Launch& launch, const Misses& misses);

// A convolution as MIOpen runs it: its operands, and what waves read again.
DramBytes miopen_dram(const Launch& launch, const GpuSizes& sizes);

// Whether the plan is the implicit GEMM of a forward convolution on the FP32 lanes, whose loads count_loads() counts.
bool has_counted_loads(const LaunchPlan& plan, const OpShape& op);

// What of the loads of such plans depends on their layer and tiles alone, for whoever counts them on many GPUs; these
// differ from `gpu` in anything but the L1's sectors and lines.
std::vector<TileLoads> counted_tiles(const OpShape& op, const Gpu& gpu, const PlanOptions& options);

// Its loads at every level, as the cache simulator counts them (traffic/refined.hpp). `op` and `gpu` are those that
// the plan was made for, `tiles` are counted_tiles() or empty.
void count_loads(LaunchPlan& plan, const OpShape& op, const Gpu& gpu, std::span<const TileLoads> tiles = {});

// The same of a plan that has counted loads, by the sectors of its tile.
void count_loads(LaunchPlan& plan, const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches);

// The entry of a plan's tile; null: none.
const TileLoads* find_tile(std::span<const TileLoads> tiles, const Tile& tile);

}  // namespace rooftile
