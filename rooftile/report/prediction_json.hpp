// Predictions as JSON values, for the JSON and CSV reports. Private: it costs its includer the JSON library.
#pragma once

#include <nlohmann/json.hpp>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

nlohmann::ordered_json layer_json(const LayerEstimate& layer, double sm_count);  // of the GPU
// `gpu`: that of the prediction, for what its memory holds; may be null.
nlohmann::ordered_json prediction_json(const Prediction& prediction, const Gpu* gpu = nullptr);

}  // namespace rooftile
