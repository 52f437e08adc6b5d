// The sliding window of ONNX's convolutions and poolings: kernel, strides, dilations, padding.
#pragma once

#include <array>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Conv, ConvTranspose and the poolings that have a kernel_shape.
bool has_window(std::string_view onnx_type);

// Reads the window of such a node; its input's shape is known, auto_pad and output_shape become explicit padding.
// Errors: more than three spatial dimensions, lists of the wrong length, strides, dilations or kernels below 1.
Result<std::array<ConvAxis, 3>> read_window(const OnnxGraph& graph, const OnnxNode& node);

}  // namespace rooftile
