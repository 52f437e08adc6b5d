// Einsum of two operands as the matrix product it is: "bhid,bhjd->bhij".
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

struct Einsum {
  Shape output;
  Gemm gemm;  // letters of both operands and the result count the products; those of both operands alone are summed
};

// An error where the node does not say what a batch of matrix products computes.
Result<Einsum> read_einsum(const OnnxGraph& graph, const OnnxNode& node);

Result<OpKind> make_einsum(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
