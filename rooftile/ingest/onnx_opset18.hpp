// Operators as newer operator sets write them, put back into the form of opset 17, the newest that libonnx 1.12 knows.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Rewrites node `at` of `graph` where its operator changed after opset 17; may append constants to graph.values.
// Attributes that later sets added without changing any shape are dropped.
Result<void> lower_to_opset17(OnnxGraph& graph, OnnxNode& node);

}  // namespace rooftile
