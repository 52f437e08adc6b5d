// Networks in which integers are stored between operators that are written in floating point.
#pragma once

#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// What engines make of DequantizeLinear, an operator and QuantizeLinear: an operator that reads the integers, where it
// would read them dequantised, and writes integers, where only a QuantizeLinear reads its result. A product reads
// integers only if both operands are. (ONNX Runtime, "Quantize ONNX models", QDQ format; TensorRT, "Explicit
// quantization".)
void fuse_quantised(OnnxGraph& graph);

}  // namespace rooftile
