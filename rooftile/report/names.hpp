// How layers are called in reports.
#pragma once

#include <string>
#include <vector>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// What a layer does, in a word or two: "conv", "relu", "max pool", "batch norm".
std::string label_of(const LayerEstimate& layer);

// "LSTM (3), NonZero (1)": operators by type, the most frequent first.
std::string list_of(const std::vector<Skipped>& skipped);

}  // namespace rooftile
