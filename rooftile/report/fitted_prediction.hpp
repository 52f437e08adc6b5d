// A network's prediction by an end-to-end or a grey-box model, as a table, as "rooftile/prediction/1" and as CSV. Of
// several GPUs one after another.
#pragma once

#include <span>
#include <string>

#include "rooftile/learn/grey_box/workload.hpp"
#include "rooftile/learn/networks/network_prediction.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// Time, the numbers that the equation takes beside the range that each had in the fit, warnings. The CSV has one row a
// GPU.
std::string network_prediction_table(std::span<const NetworkPrediction> predictions, std::size_t width = kAnyWidth);
std::string network_prediction_json(std::span<const NetworkPrediction> predictions);
std::string network_prediction_csv(std::span<const NetworkPrediction> predictions);

// Time, layers (the ten slowest unless `all`), warnings. The CSV has one row a layer and pass, each
// with the iterations of the run and its warnings.
std::string grey_box_prediction_table(std::span<const GreyBoxPrediction> predictions, bool all,
                                      std::size_t width = kAnyWidth);
std::string grey_box_prediction_json(std::span<const GreyBoxPrediction> predictions);
std::string grey_box_prediction_csv(std::span<const GreyBoxPrediction> predictions);

}  // namespace rooftile
