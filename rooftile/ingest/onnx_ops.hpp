// The one table from ONNX's operators to the kinds of op that Rooftile knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

bool onnx_op_known(std::string_view onnx_type);

// All operators that a file may use, also those that only compute shapes.
std::vector<std::string> onnx_op_names();

struct OnnxOp {
  OpKind kind;
  std::vector<ValueId> inputs;  // those that are read when the network runs
};

// `node`'s operator is known and its shapes are.
Result<OnnxOp> make_op(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
