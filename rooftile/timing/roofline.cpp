#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

std::optional<FlopsPerSecond> stated(FlopsPerSecond rate) {
  if (rate > FlopsPerSecond(0)) return rate;
  return std::nullopt;
}

}  // namespace

std::optional<FlopsPerSecond> peak_of(DType precision, const Gpu& gpu) {
  switch (precision) {
    case DType::fp64:
      return stated(gpu.peak(Peak::fp64));
    case DType::fp32:
      return stated(gpu.peak(Peak::fp32));
    case DType::tf32:
      return stated(gpu.peak(Peak::tensor_tf32));
    case DType::fp16: {
      const auto tensor = stated(gpu.peak(Peak::tensor_fp16));
      return tensor ? tensor : stated(gpu.peak(Peak::fp16));
    }
    case DType::bf16:
      return stated(gpu.peak(Peak::tensor_bf16));
    case DType::fp8:
      return stated(gpu.peak(Peak::tensor_fp8));
    case DType::int8:
      return stated(gpu.peak(Peak::tensor_int8));
    case DType::int64:
    case DType::int32:
    case DType::int16:
    case DType::boolean:
      break;
  }
  return std::nullopt;
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
