// The harness: memory for a prepared layer, the check of its first result, and repeated timed runs.
#pragma once

#include <cstdint>
#include <vector>

#include "rooftile/measure/cuda/layers/context.hpp"
#include "rooftile/measure/cuda/layers/prepared_layer.hpp"
#include "rooftile/measure/cuda/layers/runner.hpp"
#include "rooftile/measure/layer_runner.hpp"

namespace rooftile::measure {

// A prepared layer with its operands on the device, in as many sets as keep the L2 cold (one where `options.warm`).
class LoadedLayer {
 public:
  static Outcome<LoadedLayer> load(Prepared layer, const RunnerOptions& options, const LayerContext& context);

  // Queues run number `index`, on the set whose turn it is.
  Outcome<void> run(int index);
  Outcome<void> wait() const;

  // One run into poisoned outputs. wrong_result where anything is NaN or infinite, or too far from the reference; else
  // the error.
  Outcome<double> verify();

  int sets() const { return static_cast<int>(sets_.size()); }
  const PreparedLayer& layer() const { return *layer_; }

 private:
  Outcome<void> place(std::byte*& next, std::uint64_t seed);

  Prepared layer_;
  cudaStream_t stream_ = nullptr;
  Buffer<std::byte> memory_;
  Buffer<std::byte> workspace_;
  std::vector<OperandSet> sets_;
};

struct RunTimes {
  Summary time_us;
  std::string launched;
  int sets = 1;  // that the runs of a repeat visit
};

// Microseconds of one run over options.repeats repeats, each of as many runs as fill options.least_seconds.
Outcome<RunTimes> time_runs(LoadedLayer& layer, const RunnerOptions& options, cudaStream_t stream);

}  // namespace rooftile::measure
