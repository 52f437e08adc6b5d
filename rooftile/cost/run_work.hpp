// What a run takes energy for, counted without a clock: multiply-accumulates and bytes by memory level.
#pragma once

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

struct RunWork {
  double product_macs = 0;  // of products: on the tensor cores where the precision has them
  double lane_macs = 0;     // of all else
  double l1 = 0, l2 = 0;    // bytes loaded: the energy of a multiply-accumulate has what kernels store (docs/costs.md)
  double dram = 0;          // bytes loaded and stored

  // Adds that work so many times.
  RunWork& add(const RunWork& work, double times);
};

// Of one layer.
RunWork work_of(const LayerEstimate& layer);

}  // namespace rooftile
