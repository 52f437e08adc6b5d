#include "rooftile/workload/dtype.hpp"

#include <array>

namespace rooftile {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  double bytes;
  bool floating;
};

// In the order of the enumeration.
constexpr std::array kRows = {
    Row{DType::fp64, "fp64", 8, true},
    Row{DType::fp32, "fp32", 4, true},
    Row{DType::tf32, "tf32", 4, true},
    Row{DType::fp16, "fp16", 2, true},
    Row{DType::bf16, "bf16", 2, true},
    Row{DType::fp8, "fp8", 1, true},
    Row{DType::int64, "int64", 8, false},
    Row{DType::int32, "int32", 4, false},
    Row{DType::int16, "int16", 2, false},
    Row{DType::int8, "int8", 1, false},
    Row{DType::int4, "int4", 0.5, false},
    Row{DType::boolean, "bool", 1, false},
    Row{DType::q8_0, "q8_0", 34.0 / 32, false},
    Row{DType::q4_0, "q4_0", 18.0 / 32, false},
    Row{DType::q4_k_m, "q4_k_m", 4.89 / 8, false},
    Row{DType::nvfp4, "nvfp4", 9.0 / 16, true},
    Row{DType::mxfp4, "mxfp4", 17.0 / 32, true},
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

std::vector<std::string> weight_type_names() {
  return {"fp8", "int8", "int4", "nvfp4", "mxfp4", "q8_0", "q4_0", "q4_k_m"};
}

std::vector<std::string> cache_type_names() { return {"fp8", "fp16", "bf16"}; }

bool is_floating(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].floating; }

bool is_fp4(DType dtype) { return dtype == DType::nvfp4 || dtype == DType::mxfp4; }

bool is_narrow_float(DType dtype) { return dtype == DType::fp8 || is_fp4(dtype); }

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
