// Makes every shape of an ONNX graph known: one pass over the nodes in their order.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Sets the batch size, infers the shape of each value, computes small constants. Nodes that depend on no input of the
// network leave the graph: they are computed once, when a framework loads it. Errors name the input or node.
Result<void> resolve(OnnxGraph& graph, const OnnxOptions& options);

// True if no op of a workload stands for the node's operator, nor does it only compute shapes.
bool is_unsupported(const OnnxNode& node);

// Drops the nodes that no output of the network needs.
void drop_unused(OnnxGraph& graph);

}  // namespace rooftile
