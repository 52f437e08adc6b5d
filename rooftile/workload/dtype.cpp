#include "rooftile/workload/dtype.hpp"

#include <array>

namespace rooftile {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  double bytes;
};

// In the order of the enumeration.
constexpr std::array kRows = {
    Row{DType::fp64, "fp64", 8},   Row{DType::fp32, "fp32", 4},    Row{DType::tf32, "tf32", 4},
    Row{DType::fp16, "fp16", 2},   Row{DType::bf16, "bf16", 2},    Row{DType::fp8, "fp8", 1},
    Row{DType::int64, "int64", 8}, Row{DType::int32, "int32", 4},  Row{DType::int16, "int16", 2},
    Row{DType::int8, "int8", 1},   Row{DType::boolean, "bool", 1},
};

struct Alias {
  std::string_view name;
  DType dtype;
};

constexpr std::array kAliases = {
    Alias{"float32", DType::fp32}, Alias{"float", DType::fp32},    Alias{"float16", DType::fp16},
    Alias{"half", DType::fp16},    Alias{"bfloat16", DType::bf16}, Alias{"double", DType::fp64},
};

}  // namespace

Bytes size_of(DType dtype) { return Bytes(kRows[static_cast<std::size_t>(dtype)].bytes); }

std::string_view name_of(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (const Row& row : kRows) {
    if (row.name == text) return row.dtype;
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == text) return alias.dtype;
  }
  return std::nullopt;
}

}  // namespace rooftile
