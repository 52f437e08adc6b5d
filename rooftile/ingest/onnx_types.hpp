// Element types of ONNX.
#pragma once

#include <optional>

#include "rooftile/workload/dtype.hpp"

namespace rooftile {

// Between TensorProto::DataType and DType. Signedness is dropped; no DType: strings, complex numbers,
// FLOAT4E2M1.
std::optional<DType> dtype_of_onnx(int elem_type);
int onnx_type_of(DType dtype);

}  // namespace rooftile
