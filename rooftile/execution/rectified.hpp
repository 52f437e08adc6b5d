// Which tensors are about half zeros because a ReLU made them. Multipliers that see zeros switch less: the values of
// the operands alone change what a product draws by up to 40 % (Gregersen et al., "Input-Dependent Power Usage in
// GPUs", 2024) or 67 % (Bhalachandra et al., "Understanding the Impact of Input Entropy on FPU, CPU, and GPU Power",
// 2022).
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Marks what ReLUs write, and what copies, concatenations of such tensors and maxima over windows make of it
// (Tensor::rectified).
Workload mark_rectified(Workload workload);

}  // namespace rooftile
