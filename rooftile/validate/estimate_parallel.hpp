// The prediction of a row that is a network on several GPUs, or over several micro-batches, as one estimate.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

// A training step of a row that has `parallel`, in the usual machines of that GPU. Errors: those of parallel_network(),
// blocks_of() and parallel_step(); anything but a training step.
Result<LayerEstimate> estimate_parallel(const NetworkRun& run, Phase phase, const Gpu& gpu,
                                        const PredictOptions& options);

// Samples of a run that one of its replicas takes: all of them where GPUs take turns, as llama.cpp's do.
std::int64_t replica_batch(const NetworkRun& run, std::string_view framework);

// A forward pass of a row that is a request and has `parallel`: the prompt, or after `context` positions as many as
// given, else one.
Result<LayerEstimate> estimate_parallel_forward(const NetworkRun& run, std::optional<std::int64_t> context,
                                                std::optional<std::int64_t> positions, const Gpu& gpu,
                                                const PredictOptions& options);

// What llama.cpp's GPUs take for a prompt in parts, of what they would take one part after another (PromptPipeline).
// `launches` are those of the last part.
Result<double> overlap_of_parts(const NetworkRun& run, double launches, std::span<const Seconds> parts);

}  // namespace rooftile
