// Puts operators together again that exporters take apart: layer normalisation, GELU and SiLU.
#pragma once

#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Replaces the last node of each pattern by one LayerNormalization, Gelu or Swish node that reads the pattern's input.
// The other nodes stay; drop_unused() removes those that nothing else needs.
void fuse_patterns(OnnxGraph& graph);

}  // namespace rooftile
