// libonnx behind a wall: onnx_proto.cpp, onnx_infer.cpp and onnx_types.cpp are all that touch its types.
#pragma once

#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Newest operator set whose schemas libonnx 1.12 has.
constexpr int kNewestSchema = 17;

// Parses the bytes that strip_weights() left. Shapes are still those of the file; nothing is inferred.
Result<OnnxGraph> read_onnx_graph(std::string_view bytes);

// True if infer_outputs() knows the operator: --skip-unsupported can leave out no other.
bool has_shape_rule(std::string_view type, int opset);

// Type and shape of each output of `node` by the operator's schema; the shapes of its inputs are known. Operators that
// libonnx has no rule for, and shapes that depend on data, are errors.
struct OnnxType {
  Shape shape;
  DType dtype = DType::fp32;
};
Result<std::vector<OnnxType>> infer_outputs(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
