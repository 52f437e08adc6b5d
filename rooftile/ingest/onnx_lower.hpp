// Operators that mean others: those on quantised integers, and the fused ones of ONNX Runtime (com.microsoft). Their
// definitions: ONNX, docs/Operators.md; ONNX Runtime, docs/ContribOperators.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"
#include "rooftile/ingest/onnx_lowering.hpp"

namespace rooftile {

bool is_lowered(std::string_view onnx_type);
std::vector<std::string> lowered_names();

// The nodes to take in the place of `node`, whose operator is lowered and whose inputs have their shapes. Appends the
// values between them to the graph. Errors: operands that the operator needs and are not there or do not fit.
Result<std::vector<OnnxNode>> lower(OnnxGraph& graph, const OnnxNode& node);

// How one operator is written; a table of them for each family.
struct LoweringRow {
  std::string_view type;
  Result<void> (*write)(Lowering&);
};
const std::vector<LoweringRow>& quantised_operators();
const std::vector<LoweringRow>& fused_operators();
const std::vector<LoweringRow>& attention_operators();

}  // namespace rooftile
