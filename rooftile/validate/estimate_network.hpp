// The prediction of a row that is a whole network, as one estimate.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

// Sums over the layers. Errors, with the column to blame in `where`: those of load_model() and predict(), more than one
// GPU. Of a request: the prompt, and a step of decoding for each token of the answer.
Result<LayerEstimate> estimate_network(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options);

// The same of a workload at hand, which passed validate(). Errors: those of predict().
Result<LayerEstimate> estimate_network(const Workload& workload, Phase phase, const Gpu& gpu,
                                       const PredictOptions& options);

}  // namespace rooftile
