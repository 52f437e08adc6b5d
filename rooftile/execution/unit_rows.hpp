// Rows divided by their lengths, as one kernel.
#pragma once

#include "rooftile/workload/workload.hpp"

namespace rooftile {

// x / max(|x|, epsilon), which networks write as torch.nn.functional.normalize (the queries and keys of Swin v2), is
// a kernel of whole rows where kernels are fused: Inductor schedules a reduction with the element-wise operators that
// read its input again, and FasterTransformer has invokeNormalizeForFMHA.
Workload fuse_unit_rows(Workload workload);

}  // namespace rooftile
