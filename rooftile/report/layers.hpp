// Per-layer models as reports: what was fitted and how it does, and the predictions of a network by one.
#pragma once

#include <span>
#include <string>

#include "rooftile/learn/layers/layer_model.hpp"
#include "rooftile/learn/layers/layer_prediction.hpp"
#include "rooftile/learn/layers/layer_samples.hpp"
#include "rooftile/learn/layers/layer_transfer.hpp"
#include "rooftile/report/regression.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// The coefficients with standard errors and figures, one line a category and direction; pooling by one model; warnings;
// what was left out.
std::string layer_fit_report(const LayerModelFit& fit, const LayerSamples& samples, std::size_t width = kAnyWidth);

// One line a model and what it is judged on: errors per layer and totals.
std::string layer_transfer_table(std::span<const LayerTransfer> transfers, std::size_t width = kAnyWidth);

// Measured and fitted times of layers, by category, for the plots of regression.hpp: of what is judged in `transfers`,
// without the rows of a model's own where there are others.
FittedPoints fitted_points(std::span<const LayerTransfer> transfers);

// A network's prediction as a table (the ten slowest layers unless `all`), as "rooftile/prediction/1", and as CSV: one
// row a layer and direction, each with the iterations of the run and its warnings.
std::string layers_table(const LayersPrediction& prediction, bool all, std::size_t width = kAnyWidth);
std::string layers_json(const LayersPrediction& prediction);
std::string layers_csv(const LayersPrediction& prediction);

}  // namespace rooftile
