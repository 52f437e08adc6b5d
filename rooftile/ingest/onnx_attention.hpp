// Attention that an exporter wrote as products, scale, mask and softmax, as the one operator that fused kernels
// compute.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Replaces the second product of each softmax(Q K^T / s + mask) V by a FusedAttention node over Q, K and V. Left apart:
// attention whose mask differs between heads (a bias for relative positions), and weights that are read elsewhere.
void fuse_attention(OnnxGraph& graph);

Result<OpKind> make_fused_attention(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
