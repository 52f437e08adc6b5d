#include "rooftile/explore/layer_time.hpp"

#include "rooftile/timing/delta.hpp"
#include "rooftile/timing/stream.hpp"
#include "rooftile/traffic/delta.hpp"

namespace rooftile {

LayerTime layer_time(const UniqueLayer& layer, const Gpu& gpu, double tile_rows) {
  if (layer.streams) {
    const StreamTiming timing = stream_time({.read = Bytes(layer.bytes), .write = Bytes(0)}, Flops(layer.flops), gpu);
    return {timing.time, timing.bottleneck};
  }
  const Plan plan = tile_plan(layer.gemm, gpu, tile_rows);
  const DeltaTiming timing = delta_time(plan, delta_traffic(layer.gemm, plan, gpu.l1_request), delta_rates(gpu));
  return {timing.time, timing.bottleneck};
}

Unfit unfit_of(const std::vector<UniqueLayer>& layers, const Gpu& gpu, double tile_rows) {
  for (const UniqueLayer& layer : layers) {
    if (layer.streams) continue;
    const Unfit unfit = unfit_of(tile_kernel(layer.gemm.out_channels, tile_rows), gpu.sm);
    if (unfit != Unfit::none) return unfit;
  }
  return Unfit::none;
}

}  // namespace rooftile
