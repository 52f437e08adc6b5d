// Operators that one kernel runs: chains of element-wise operators with the reductions among them, and what the end of
// a product's kernel can do before it writes.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

struct FusionRules {
  bool epilogues = false;       // products take the element-wise operators that follow
  bool conv_epilogues = false;  // and so do convolutions
  bool training = false;        // normalisations of a batch compute their statistics; they end no product's kernel
  // Convolutions take no SiLU: keeps_gates_apart().
  bool gates_apart = false;
};

// A group takes the next operator where that reads a result of the group, has as many elements, and nothing that runs
// in between needs the group to be done. A kernel has one reduction of rows; a reduction to fewer elements ends it.
// What only the group itself reads is never written.
Workload fuse(const Workload& workload, const FusionRules& rules);

}  // namespace rooftile
