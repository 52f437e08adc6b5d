// Which blocks the stages of a pipeline have.
#pragma once

#include <cstddef>
#include <vector>

#include "rooftile/execution/parallelism.hpp"

namespace rooftile {

using PipelineChunk = std::vector<std::size_t>;  // kinds of blocks, in order

// Chunk i is of stage i % pp. Layers alike over the parts of all stages, the first get one more where they do not
// divide; the embedding is in the first, the head in the last. Where they divide only with those two, these count as
// layers (Grattafiori et al., The Llama 3 Herd of Models, arXiv:2407.21783, section 3.3.2; Megatron Core,
// account_for_embedding_in_pipeline_split). `order` is that of the whole network, with a layer for each part.
std::vector<PipelineChunk> pipeline_chunks(const std::vector<std::size_t>& order, const Parallelism& way);

}  // namespace rooftile
