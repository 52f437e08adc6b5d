// How layers, and what they are computed in, are called in reports.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// What a layer does, in a word or two: "conv", "relu", "max pool", "batch norm".
std::string label_of(const LayerEstimate& layer);

// "fp16, weights int4"; "stored bf16, computed fp32" where the GPU has no unit for it.
std::string precision_text(const Prediction& prediction);

// "3x224x224", "8,192 tokens", "1 token after 256"; empty where it is not known.
std::string text_of(const Sample& sample);

// Operators by type, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> counts_of(const std::vector<Skipped>& skipped);
// The same as "LSTM (3), NonZero (1)".
std::string list_of(const std::vector<Skipped>& skipped);

}  // namespace rooftile
