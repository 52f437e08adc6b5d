// Recurrent layers by the refined method: steps that wait for one another, and the products over all steps beside them.
#pragma once

#include "rooftile/predict/refined.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// Adds the products over all steps of a pass to a layer, as GEMMs are predicted. None where the GPU lacks the
// precision.
void add_sequence_products(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu,
                           const PredictOptions& options, RefinedModels& models);

// The time of a layer whose flops are counted already, by the refined method or by the roofline.
void add_recurrent(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options,
                   RefinedModels& models);

}  // namespace rooftile
