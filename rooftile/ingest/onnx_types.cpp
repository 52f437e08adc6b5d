#include "rooftile/ingest/onnx_types.hpp"

#include <onnx/onnx_pb.h>

namespace rooftile {

std::optional<DType> dtype_of_onnx(int elem_type) {
  switch (elem_type) {
    case onnx::TensorProto::FLOAT:
      return DType::fp32;
    case onnx::TensorProto::DOUBLE:
      return DType::fp64;
    case onnx::TensorProto::FLOAT16:
      return DType::fp16;
    case onnx::TensorProto::BFLOAT16:
      return DType::bf16;
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64:
      return DType::int64;
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::UINT32:
      return DType::int32;
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
      return DType::int16;
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
      return DType::int8;
    case onnx::TensorProto::BOOL:
      return DType::boolean;
    case 17:  // FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, newer than this libonnx
    case 18:
    case 19:
    case 20:
      return DType::fp8;
    case 21:  // UINT4, INT4, newer too
    case 22:
      return DType::int4;
    default:
      return std::nullopt;  // strings, complex numbers, FLOAT4E2M1
  }
}

int onnx_type_of(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return onnx::TensorProto::DOUBLE;
    case DType::fp32:
    case DType::tf32:
      return onnx::TensorProto::FLOAT;
    case DType::fp16:
      return onnx::TensorProto::FLOAT16;
    case DType::bf16:
      return onnx::TensorProto::BFLOAT16;
    case DType::fp8:
      return 17;  // FLOAT8E4M3FN
    case DType::int64:
      return onnx::TensorProto::INT64;
    case DType::int32:
      return onnx::TensorProto::INT32;
    case DType::int16:
      return onnx::TensorProto::INT16;
    case DType::int8:
      return onnx::TensorProto::INT8;
    case DType::int4:
      return 22;
    case DType::boolean:
      return onnx::TensorProto::BOOL;
    case DType::q8_0:  // ONNX has no such blocks
    case DType::q4_0:
    case DType::q4_k_m:
    case DType::nvfp4:
    case DType::mxfp4:
      break;
  }
  return onnx::TensorProto::UNDEFINED;
}

}  // namespace rooftile
