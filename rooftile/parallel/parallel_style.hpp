// What frameworks do while gradients are exchanged.
#pragma once

#include <string_view>

#include "rooftile/base/units.hpp"

namespace rooftile {

struct ParallelStyle {
  bool overlapped = true;      // gradients are exchanged while others are computed
  bool fused_update = true;    // the optimiser is one kernel over all weights
  bool tensor_hidden = false;  // half of what tensor parallel GPUs exchange is behind products
  Bytes bucket;                // of gradients that are exchanged together
};

// Of a framework as tables name it; an unknown one is taken for PyTorch's DistributedDataParallel.
ParallelStyle style_of(std::string_view framework);

}  // namespace rooftile
