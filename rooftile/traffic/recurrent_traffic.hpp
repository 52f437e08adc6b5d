// Bytes of the steps of a recurrent layer (docs/theory/recurrent.md).
#pragma once

#include "rooftile/traffic/gpu_sizes.hpp"
#include "rooftile/traffic/traffic.hpp"
#include "rooftile/workload/op.hpp"
#include "rooftile/workload/pass.hpp"

namespace rooftile {

// One step of one cell.
struct CellTraffic {
  Traffic product;  // the weights
  Traffic gates;    // elementwise work
};
CellTraffic cell_traffic(const Recurrent& recurrent, Pass pass, Bytes element, const GpuSizes& sizes);

// All steps of a forward pass or a data gradient; of the gradients of the weights, adding them up. The products over
// all steps come on top. `sizes` are of the family recurrent.
Traffic recurrent_traffic(const Recurrent& recurrent, Pass pass, Bytes element, const GpuSizes& sizes);

// The same where kernels keep the weights on the chip: they load them once, and every CTA the state of each step.
Traffic persistent_traffic(const Recurrent& recurrent, Pass pass, Bytes element, const GpuSizes& sizes);

// CTAs of such a kernel for one cell: one for each SM, with outputs for all lanes of a warp.
double persistent_ctas(const Recurrent& recurrent, Pass pass, const GpuSizes& sizes);

// Share of a layer's weights that a step loads from DRAM, the mean over the steps.
double missed_weights(const Recurrent& recurrent, Bytes element, const GpuSizes& sizes);

}  // namespace rooftile
