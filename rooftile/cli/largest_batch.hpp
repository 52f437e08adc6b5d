// The largest batch of a network that fits a GPU's memory.
#pragma once

#include <cstdint>
#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile::cli {

// The batch; 0 where not even one sample fits. That share of the memory stays free. Errors: those of load_model().
Result<std::int64_t> largest_batch_of(const std::string& model, ModelOptions sizes, const PredictOptions& options,
                                      Phase phase, const Gpu& gpu, double headroom = 0);

// A workload of it. Errors: those of load_model(); not even one sample fits.
Result<Workload> load_largest_batch(const std::string& model, ModelOptions sizes, const PredictOptions& options,
                                    Phase phase, const Gpu& gpu, double headroom = 0);

}  // namespace rooftile::cli
