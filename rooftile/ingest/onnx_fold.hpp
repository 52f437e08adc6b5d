// Values of small constants that a graph computes: the chains of Shape, Gather, Concat, … that exporters leave before
// Reshape and Resize.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Operators that only compute with shapes and constants and never become an op of a workload.
bool is_shape_only(std::string_view onnx_type);
std::vector<std::string> shape_only_names();

// The elements of the node's first output, whose shape and type are known, or nothing: an input is not known, the
// operator is not one that shapes are computed with, the result is not small, or the arithmetic overflows.
std::optional<OnnxData> fold(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
