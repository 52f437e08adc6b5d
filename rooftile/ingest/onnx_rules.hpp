// Shapes of operators that libonnx has no rule for, only a younger one, or one that gives up where the data decide:
// there the most that can come out stands for what does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"
#include "rooftile/ingest/onnx_proto.hpp"

namespace rooftile {

using ShapeRule = Result<std::vector<OnnxType>> (*)(const OnnxGraph& graph, const OnnxNode& node);

// Null: the operator has no rule here.
ShapeRule find_shape_rule(std::string_view onnx_type);

// What the rule took for granted of data that are not known, a clause for people; empty where nothing.
std::string assumption_of(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
