// Elements of the types that libraries take, as numbers.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>
#include <vector>

namespace on_cpu {

inline double number(const void* data, cudaDataType_t type, std::int64_t i) {
  switch (type) {
    case CUDA_R_32F:
      return static_cast<const float*>(data)[i];
    case CUDA_R_16F:
      return __half2float(static_cast<const __half*>(data)[i]);
    case CUDA_R_16BF:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
    case CUDA_R_8I:
      return static_cast<const std::int8_t*>(data)[i];
    case CUDA_R_32I:
      return static_cast<const std::int32_t*>(data)[i];
    default:
      std::abort();
  }
}

inline void set_number(void* data, cudaDataType_t type, std::int64_t i, double value) {
  static const bool wrong = std::getenv("ON_CPU_WRONG") != nullptr;  // a library that errs
  value *= wrong ? 1.05 : 1;
  switch (type) {
    case CUDA_R_32F:
      static_cast<float*>(data)[i] = static_cast<float>(value);
      return;
    case CUDA_R_16F:
      static_cast<__half*>(data)[i] = __float2half(static_cast<float>(value));
      return;
    case CUDA_R_16BF:
      static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16(static_cast<float>(value));
      return;
    case CUDA_R_32I:
      static_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(value);
      return;
    default:
      std::abort();
  }
}

inline std::vector<double> numbers(const void* data, cudaDataType_t type, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(number(data, type, i));
  }
  return values;
}

}  // namespace on_cpu
