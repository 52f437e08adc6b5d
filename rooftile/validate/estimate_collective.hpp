// A collective of a table's row, as an estimate.
#pragma once

#include "rooftile/collectives/collective.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

// On GPUs of one machine. Errors: a method that has none, GPUs whose link is not known.
Result<LayerEstimate> estimate_collective(Collective collective, const Gpu& gpu, const PredictOptions& options);

}  // namespace rooftile
