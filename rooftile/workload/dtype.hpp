// Data types of tensors and precisions of arithmetic.
//
//     assert(size_of(DType::bf16) == Bytes(2));
//     assert(parse_dtype("half") == DType::fp16);
#pragma once

#include <optional>
#include <string_view>

#include "rooftile/base/units.hpp"

namespace rooftile {

enum class DType { fp64, fp32, tf32, fp16, bf16, fp8, int64, int32, int16, int8, int4, boolean };

// Bytes of one element in memory; tf32 is stored as fp32, two of int4 in a byte.
Bytes size_of(DType dtype);

std::string_view name_of(DType dtype);

// Neither an integer nor a boolean.
bool is_floating(DType dtype);

// "fp32" and the other names above; also float32, float, float16, half, bfloat16.
std::optional<DType> parse_dtype(std::string_view text);

}  // namespace rooftile
