// The rows of the operator table (onnx_ops.cpp) that need a look at shapes or attributes.
#pragma once

#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"
#include "rooftile/ops/shapes.hpp"

namespace rooftile {

// Conv and ConvTranspose, in one to three spatial dimensions.
Result<OpKind> make_conv(const OnnxGraph& graph, const OnnxNode& node);

Result<OpKind> make_gemm(const OnnxGraph& graph, const OnnxNode& node);
Result<OpKind> make_mat_mul(const OnnxGraph& graph, const OnnxNode& node);

// The product of two tensors by numpy's rules, of which each may have its last two dimensions the other way around.
Result<MatMul> fused_product(const OnnxGraph& graph, const OnnxNode& node);
Result<OpKind> make_fused_mat_mul(const OnnxGraph& graph, const OnnxNode& node);

// A matrix of packed weights times one row: reads them once.
Result<OpKind> make_packed_product(const OnnxGraph& graph, const OnnxNode& node);

// Samples between the positions of a map, by the mode of interpolation.
Result<OpKind> make_grid_sample(const OnnxGraph& graph, const OnnxNode& node);
Result<OpKind> make_roi_align(const OnnxGraph& graph, const OnnxNode& node);

// Every box against every other of its class.
Result<OpKind> make_suppression(const OnnxGraph& graph, const OnnxNode& node);

// GRU, LSTM and RNN, of one layer; whatever their activations.
Result<OpKind> make_recurrent(const OnnxGraph& graph, const OnnxNode& node);
bool is_recurrent(std::string_view onnx_type);

Result<OpKind> make_pool(const OnnxGraph& graph, const OnnxNode& node);
Result<OpKind> make_global_pool(const OnnxGraph& graph, const OnnxNode& node);
Result<OpKind> make_lrn(const OnnxGraph& graph, const OnnxNode& node);

// A transposition that leaves the order of all dimensions above 1 alone moves nothing: a view.
Result<OpKind> make_transpose(const OnnxGraph& graph, const OnnxNode& node);

// Reducing by nearest neighbour picks single elements; all else reads the whole input.
Result<OpKind> make_resize(const OnnxGraph& graph, const OnnxNode& node);

// Concat, Expand, Pad, Tile: a view where the result has the shape of the first input.
Result<OpKind> make_move_or_view(const OnnxGraph& graph, const OnnxNode& node);

// A view where everything is kept.
Result<OpKind> make_slice(const OnnxGraph& graph, const OnnxNode& node);

// A view where the type stays.
Result<OpKind> make_cast(const OnnxGraph& graph, const OnnxNode& node);

// Max, Mean, Min and Sum of any number of tensors: one operation for each further one; the mean also divides.
Result<OpKind> make_variadic(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
