// A network that may be spread over GPUs: a transformer by its geometry, or any other as a workload at each batch size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/parallel/blocks.hpp"

namespace rooftile {

struct ParallelNetwork {
  std::string name;
  std::optional<Transformer> shape;
  std::int64_t seq_len = 1;  // of a transformer's text
  std::function<Result<Workload>(std::int64_t batch)> workload;
};

// Of a row of a table, or of what a command was given. Errors: those of load_network().
Result<ParallelNetwork> parallel_network(const NetworkRun& run);

// As its framework has it: attention of several kernels and dropout where no fused kernel is called.
Transformer as_run(Transformer shape, std::string_view framework);

// Errors: those of transformer_blocks() and layer_blocks(); degrees other than dp for what is no transformer.
Result<NetworkBlocks> blocks_of(const ParallelNetwork& network, const Parallelism& way, const Gpu& gpu,
                                const PredictOptions& options, BlockDetail detail = BlockDetail::times);

}  // namespace rooftile
