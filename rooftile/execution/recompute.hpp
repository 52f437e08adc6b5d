// Activations that a training step does not keep but computes again when their gradients need them
// (torch.utils.checkpoint; Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

enum class Recompute {
  none,
  selective,  // what lies between the scores of attention and their product with the values
  operators,  // of each layer all but fused attention and every other product: torchtitan's selective_ac_option = "op"
  full,       // all between the places where a single activation leads on, in parts that need the least memory
};

std::string_view name_of(Recompute recompute);
std::vector<std::string> recompute_names();
std::optional<Recompute> parse_recompute(std::string_view text);

// Operators that run again, before the gradient of the last of them; ascending.
using RecomputedPart = std::vector<std::size_t>;

// The parts of a workload as it is launched, in order; they share no operator.
std::vector<RecomputedPart> recomputed_parts(const Workload& workload, Recompute recompute);

}  // namespace rooftile
