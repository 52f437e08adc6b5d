#include "rooftile/ingest/onnx_lower.hpp"

#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

const LoweringRow* find_lowering(std::string_view type) {
  for (const auto* rows : {&quantised_operators(), &fused_operators(), &attention_operators()}) {
    for (const LoweringRow& row : *rows) {
      if (row.type == type) return &row;
    }
  }
  return nullptr;
}

}  // namespace

bool is_lowered(std::string_view onnx_type) { return find_lowering(onnx_type) != nullptr; }

std::vector<std::string> lowered_names() {
  std::vector<std::string> names;
  for (const auto* rows : {&quantised_operators(), &fused_operators(), &attention_operators()}) {
    for (const LoweringRow& row : *rows) names.emplace_back(row.type);
  }
  return names;
}

Result<std::vector<OnnxNode>> lower(OnnxGraph& graph, const OnnxNode& node) {
  Lowering to(graph, node);
  TRY(find_lowering(node.type)->write(to));
  return to.take();
}

}  // namespace rooftile
