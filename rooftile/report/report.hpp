// Predictions as text, JSON and CSV: each a function over finished predictions, so that they cannot disagree.
#pragma once

#include <span>
#include <string>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

struct TableOptions {
  bool all_layers = false;  // every layer, not the ten slowest
  bool colour = false;
};

// A page to read at a glance: time, throughput, memory, the share of each bottleneck, the slowest layers, what is not modelled.
std::string table_report(const Prediction& prediction, const TableOptions& options = {});

// "rooftile/prediction/1": an object for one prediction, an array for several.
std::string json_report(std::span<const Prediction> predictions);

// One row a layer, names of the JSON flattened with dots.
std::string csv_report(std::span<const Prediction> predictions);

// Every number behind one layer's time, equation by equation.
std::string explain_report(const LayerEstimate& layer, const Gpu& gpu);

}  // namespace rooftile
