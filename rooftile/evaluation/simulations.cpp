#include "rooftile/evaluation/simulations.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"

namespace rooftile {

const Simulations::Run* Simulations::find(const Gpu& gpu, const Conv& conv) const {
  const auto found = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const Run& run) { return run.gpu->id == gpu.id && run.conv == conv; });
  return found == runs_.end() ? nullptr : &*found;
}

void Simulations::want(const Gpu& gpu, const Conv& conv) {
  if (find(gpu, conv) == nullptr) runs_.push_back({&gpu, conv, {}});
}

Result<void> Simulations::run(std::size_t index) {
  Run& run = runs_[index];
  const Im2col gemm = im2col(run.conv);
  const auto result = TRY(simulate(gemm, delta_plan(gemm, *run.gpu), *run.gpu, options_));
  run.result = result;
  return {};
}

const Simulation& Simulations::of(const Gpu& gpu, const Conv& conv) const {
  const Run* run = find(gpu, conv);
  assert(run != nullptr && run->result);
  return *run->result;
}

double worst_error(const Simulation& simulation) {
  const LevelBytes& bytes = simulation.bytes;
  const LevelBytes& error = simulation.standard_error;
  double worst = 0;
  for (const auto level : {&LevelBytes::l1, &LevelBytes::l2, &LevelBytes::dram}) {
    if (bytes.*level > 0) worst = std::max(worst, error.*level / bytes.*level);
  }
  return worst;
}

void SimulationNote::add(const Simulation& simulation) {
  ++layers_;
  if (simulation.replayed_share < 1) ++sampled_;
  least_share_ = std::min(least_share_, simulation.replayed_share);
  worst_error_ = std::max(worst_error_, worst_error(simulation));
}

std::string SimulationNote::text() const {
  constexpr double kPercent = 100;
  const std::string start = fmt::format("Simulated with DeLTA's tiles, {} replacement, {} start",
                                        name_of(options_.policy), name_of(options_.start));
  if (sampled_ == 0) return fmt::format("{}; all {} kernels replayed whole.", start, layers_);
  return fmt::format(
      "{}; {} of {} kernels replayed whole, the others sampled: at least {:.1f} % of the CTAs, standard error at most "
      "{:.2f} %.",
      start, layers_ - sampled_, layers_, least_share_ * kPercent, worst_error_ * kPercent);
}

}  // namespace rooftile
