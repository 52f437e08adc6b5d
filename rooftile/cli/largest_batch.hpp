// The largest batch of a network that fits a GPU's memory.
#pragma once

#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile::cli {

// A workload of it; that share of the memory stays free. Errors: those of load_model(); not even one sample fits.
Result<Workload> load_largest_batch(const std::string& model, ModelOptions sizes, const PredictOptions& options,
                                    Phase phase, const Gpu& gpu, double headroom = 0);

}  // namespace rooftile::cli
