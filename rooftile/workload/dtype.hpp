// Data types of tensors and precisions of arithmetic.
//
//     assert(size_of(DType::bf16) == Bytes(2));
//     assert(parse_dtype("half") == DType::fp16);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"

namespace rooftile {

// The last are blocks of numbers with a scale: llama.cpp's of weights, and FP4 as tensor cores multiply it.
enum class DType {
  fp64,
  fp32,
  tf32,
  fp16,
  bf16,
  fp8,
  int64,
  int32,
  int16,
  int8,
  int4,
  boolean,
  q8_0,
  q4_0,
  q4_k_m,
  nvfp4,
  mxfp4
};
inline constexpr DType kLastDType = DType::mxfp4;

// Bytes of one element in memory; tf32 is stored as fp32, two of int4 in a byte. Of blocks, with their share of the
// scales: 32 weights and an FP16 scale (q8_0, q4_0); 4.89 bits, as llama.cpp's quantize states for Llama 3.1 8B
// (q4_k_m); 16 of FP4 and a scale of 8 bits (nvfp4: NVIDIA, Pretraining Large Language Models with NVFP4,
// arXiv:2509.25149, section 2), or 32 (mxfp4: OCP Microscaling Formats v1.0, section 5).
Bytes size_of(DType dtype);

std::string_view name_of(DType dtype);

// What weights can be stored in, narrower than the arithmetic: fp8, int8, int4 and the blocks.
std::vector<std::string> weight_type_names();

// What a cache of keys and values can be stored in.
std::vector<std::string> cache_type_names();

// Neither an integer nor a boolean.
bool is_floating(DType dtype);

// FP4, in blocks.
bool is_fp4(DType dtype);

// FP8 and FP4: products with weights alone compute in it (kBesideNarrow).
bool is_narrow_float(DType dtype);

// "fp32" and the other names above; also float32, float, float16, half, bfloat16.
std::optional<DType> parse_dtype(std::string_view text);

}  // namespace rooftile
