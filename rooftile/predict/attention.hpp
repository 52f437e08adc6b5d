// Fused attention by the refined method, or by the roofline.
#pragma once

#include "rooftile/predict/refined.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// The time of a layer whose flops are counted already.
void add_attention(LayerEstimate& layer, const Attention& attention, const Gpu& gpu, const PredictOptions& options,
                   RefinedModels& models);

}  // namespace rooftile
