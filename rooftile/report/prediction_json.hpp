// Predictions as JSON values, for the JSON and CSV reports. Private: it costs its includer the JSON library.
#pragma once

#include <nlohmann/json.hpp>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

nlohmann::ordered_json layer_json(const LayerEstimate& layer, double sm_count);  // of the GPU
nlohmann::ordered_json prediction_json(const Prediction& prediction);

}  // namespace rooftile
