// The simulations behind the figures: asked for first, run by whoever has the threads, then looked up.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/simulate/simulate.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

class Simulations {
 public:
  explicit Simulations(const SimulateOptions& options) : options_(options) {}

  // Asks for a direct convolution with DeLTA's tile on a GPU that outlives this; the same again is no new run.
  void want(const Gpu& gpu, const Conv& conv);

  std::size_t count() const { return runs_.size(); }
  bool is_done(std::size_t index) const { return runs_[index].result.has_value(); }
  // Different indices may run at once. Errors: those of simulate().
  Result<void> run(std::size_t index);

  // The result of what was asked for and run.
  const Simulation& of(const Gpu& gpu, const Conv& conv) const;
  const SimulateOptions& options() const { return options_; }

 private:
  struct Run {
    const Gpu* gpu = nullptr;
    Conv conv;
    std::optional<Simulation> result;
  };
  const Run* find(const Gpu& gpu, const Conv& conv) const;

  SimulateOptions options_;
  std::vector<Run> runs_;
};

// What a set of simulations was made with, for captions: policy, start, L1, and what was sampled.
class SimulationNote {
 public:
  explicit SimulationNote(const SimulateOptions& options) : options_(options) {}
  void add(const Simulation& simulation);
  std::string text() const;

 private:
  SimulateOptions options_;
  std::size_t layers_ = 0, sampled_ = 0;
  double least_share_ = 1, worst_error_ = 0;
};

// The largest standard error of the loads of a level, over its bytes; 0 where every CTA was replayed.
double worst_error(const Simulation& simulation);

}  // namespace rooftile
