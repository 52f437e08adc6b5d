// Exporters fold batch normalisation into the convolution before it, as inference may; a network that trains has it.
// Some programs fold it in eager mode as well (Ultralytics' detectors, nn/tasks.py: BaseModel.fuse).
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

// Whether a network looks like one whose batch norms were folded: convolutions with a bias, no normalisation, and
// residuals, depthwise convolutions or dozens of layers, which do not train without. VGG and AlexNet never had any.
bool has_folded_batch_norms(const Workload& workload);

// With a batch norm in place of each convolution's bias.
Workload restore_batch_norms(const Workload& workload);

// With a bias in place of each batch norm that alone reads a convolution without one, and without the norms'
// parameters. Error: there is none.
Result<Workload> fold_batch_norms(const Workload& workload);

}  // namespace rooftile
