#include "rooftile/plan/matrix_peak.hpp"

namespace rooftile {

std::optional<Peak> matrix_peak(DType precision) {
  switch (precision) {
    case DType::fp32:
      return Peak::tensor_fp32;
    case DType::tf32:
      return Peak::tensor_tf32;
    case DType::fp16:
      return Peak::tensor_fp16;
    case DType::bf16:
      return Peak::tensor_bf16;
    case DType::fp8:
      return Peak::tensor_fp8;
    case DType::int8:
      return Peak::tensor_int8;
    case DType::int4:
      return Peak::tensor_int4;
    case DType::nvfp4:
    case DType::mxfp4:
      return Peak::tensor_fp4;
    case DType::fp64:
    case DType::int64:
    case DType::int32:
    case DType::int16:
    case DType::boolean:
    case DType::q8_0:
    case DType::q4_0:
    case DType::q4_k_m:
      break;
  }
  return std::nullopt;
}

}  // namespace rooftile
