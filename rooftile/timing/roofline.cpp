#include "rooftile/timing/roofline.hpp"

#include "rooftile/plan/matrix_peak.hpp"

namespace rooftile {
namespace {

std::optional<Peak> ordinary_unit(DType precision) {
  if (precision == DType::fp64) return Peak::fp64;
  if (precision == DType::fp32) return Peak::fp32;
  if (precision == DType::fp16) return Peak::fp16;
  return std::nullopt;
}

// Which frameworks do not accept: PyTorch's FP16 products on P100 take as long as FP32 ones
// (data/measurements/torch_matmul.csv).
bool sums_in_fp16(std::optional<Peak> unit, const Gpu& gpu) { return unit == Peak::fp16 && gpu.fp16_sums < 32; }

}  // namespace

std::optional<Peak> matrix_unit(DType precision, const Gpu& gpu) {
  const auto exists = [&](std::optional<Peak> unit) { return unit && gpu.peak(*unit) > FlopsPerSecond(0); };
  if (const auto tensor = matrix_peak(precision); exists(tensor)) return tensor;
  if (precision == DType::int4) return matrix_unit(DType::int8, gpu);
  const auto ordinary = ordinary_unit(precision);
  const bool storable = precision == DType::fp16 || precision == DType::bf16 || precision == DType::tf32;
  if (storable) {
    const auto single = matrix_unit(DType::fp32, gpu);
    const bool slower = !exists(ordinary) || sums_in_fp16(ordinary, gpu);
    if (single && (slower || gpu.peak(*single) > gpu.peak(*ordinary))) return single;
  }
  return exists(ordinary) ? ordinary : std::nullopt;
}

DType computed_in(DType precision, const Gpu& gpu) {
  const auto unit = matrix_unit(precision, gpu);
  if (precision == DType::int4 && unit == Peak::tensor_int8) return DType::int8;
  return unit == Peak::fp32 || unit == Peak::tensor_fp32 ? DType::fp32 : precision;
}

DType asked_for(DType precision, const Gpu& gpu) {
  const DType computed = computed_in(precision, gpu);
  return size_of(computed) == size_of(precision) ? computed : precision;
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
