// What a run does of an op: one pass, or several as a training step has them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/workload/pass.hpp"

namespace rooftile {

enum class Phase {
  fwd,
  bwd_data,
  bwd_weight,
  bwd,      // both gradients
  fwd_bwd,  // forward and both gradients
  step,     // the same, and the update of the weights
};

std::string_view name_of(Phase phase);
// As reports print it: "inference", "training", else its name.
std::string_view name_of_pass(Phase phase);

// The names above, and in lower case "forward" and "inference" for fwd, "training" for step.
std::optional<Phase> parse_phase(std::string_view text);
std::vector<std::string> phase_names();

// In the order in which they run.
std::span<const Pass> passes_of(Phase phase);

}  // namespace rooftile
