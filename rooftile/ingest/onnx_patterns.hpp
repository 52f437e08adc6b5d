// Puts operators together again that exporters take apart: normalisations, GELU, SiLU, rotary positions, biases.
#pragma once

#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Replaces the last node of each pattern by one that reads the pattern's input: LayerNormalization, RMSNormalization,
// Gelu, Swish, RotaryEmbedding, Roll, or MatMul with a third input, the bias.
// The other nodes stay; drop_unused() removes those that nothing else needs. `attention`: its products, mask and
// softmax become one node, too, where a fused kernel computes them.
void fuse_patterns(OnnxGraph& graph, bool attention = false);

}  // namespace rooftile
