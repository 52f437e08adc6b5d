#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

std::optional<Peak> tensor_unit(DType precision) {
  switch (precision) {
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
    case DType::fp64:
    case DType::fp32:
    case DType::int64:
    case DType::int32:
    case DType::int16:
    case DType::boolean:
      break;
  }
  return std::nullopt;
}

std::optional<Peak> ordinary_unit(DType precision) {
  if (precision == DType::fp64) return Peak::fp64;
  if (precision == DType::fp32) return Peak::fp32;
  if (precision == DType::fp16) return Peak::fp16;
  return std::nullopt;
}

}  // namespace

std::optional<Peak> matrix_unit(DType precision, const Gpu& gpu) {
  for (const auto unit : {tensor_unit(precision), ordinary_unit(precision)}) {
    if (unit && gpu.peak(*unit) > FlopsPerSecond(0)) return unit;
  }
  return std::nullopt;
}

std::optional<FlopsPerSecond> peak_of(DType precision, const Gpu& gpu) {
  const auto unit = matrix_unit(precision, gpu);
  return unit ? std::optional(gpu.peak(*unit)) : std::nullopt;
}

RooflineTiming roofline_time(const OperandBytes& bytes, Flops flops, FlopsPerSecond peak, const Gpu& gpu) {
  RooflineTiming result;
  result.cases[Bottleneck::compute] = flops / peak;
  result.cases[Bottleneck::dram] = (bytes.read + bytes.write) / gpu.level("DRAM").bandwidth;
  result.bottleneck = largest(result.cases);
  result.time = result.cases[result.bottleneck];
  return result;
}

}  // namespace rooftile
