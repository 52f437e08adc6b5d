// What GPUs that hold the same weights lose to one another.
#pragma once

namespace rooftile {

// The share of its step that each of so many replicas loses to the slowest: fitted by tools/fit_data_parallel.py
// (docs/planning.md).
inline double replica_loss(int gpus) {
  constexpr double kLoss = 0.0255;
  return kLoss * 2 * (1 - 1.0 / gpus);
}

}  // namespace rooftile
