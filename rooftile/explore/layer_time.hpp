// Method delta for one layer on one GPU, with a CTA tile of either size: what the blocks of delta_batch.hpp are checked
// against.
#pragma once

#include "rooftile/explore/layer_constants.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/timing/estimate.hpp"

namespace rooftile {

struct LayerTime {
  Seconds time;  // of one of its equals
  Bottleneck bottleneck = Bottleneck::compute;
};
LayerTime layer_time(const UniqueLayer& layer, const Gpu& gpu, double tile_rows = kTileRows);

// Whether the CTAs of all layers fit.
Unfit unfit_of(const std::vector<UniqueLayer>& layers, const Gpu& gpu, double tile_rows);

}  // namespace rooftile
