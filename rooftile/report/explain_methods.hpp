// The sections of a layer's explanation, by what predicts it. Private.
#pragma once

#include <string>
#include <vector>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/explain_section.hpp"

namespace rooftile {

// A layer by DeLTA, or by DeLTA with fixed miss rates.
std::vector<Section> explain_delta(const LayerEstimate& layer, const Gpu& gpu);

// A layer by the refined method, predicted with `options`.
std::vector<Section> explain_refined(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options);

// A recurrent layer by the refined method.
std::vector<Section> explain_recurrent(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options);

// Attention by the refined method.
std::vector<Section> explain_attention(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options);

// A streaming layer of a network by the refined method.
std::vector<Section> explain_stream(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options);

}  // namespace rooftile
