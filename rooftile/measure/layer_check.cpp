#include "rooftile/measure/layer_check.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace rooftile::measure {

double error_limit(DType precision) {
  switch (precision) {
    case DType::fp64:
    case DType::fp32:
      return 2e-4;
    case DType::tf32:
      return 2e-3;
    case DType::fp16:
    case DType::bf16:
      return 2e-2;
    case DType::fp8:
      return 6e-2;
    case DType::int64:
    case DType::int32:
    case DType::int16:
    case DType::int8:
    case DType::int4:
    case DType::boolean:
    case DType::q8_0:
    case DType::q4_0:
    case DType::q4_k_m:
    case DType::nvfp4:
    case DType::mxfp4:
      return 0;
  }
  return 0;
}

std::vector<std::int64_t> sampled_positions(std::int64_t count, std::int64_t wanted) {
  if (count <= wanted) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  // One position in each of `wanted` equal stretches: spread over the whole result, and the ends by name.
  std::mt19937_64 random(1);
  std::vector<std::int64_t> positions = {0, count - 1};
  const double stretch = static_cast<double>(count) / static_cast<double>(wanted);
  for (std::int64_t i = 0; i < wanted; ++i) {
    const double at = (static_cast<double>(i) + static_cast<double>(random() >> 11) * 0x1p-53) * stretch;
    positions.push_back(std::min(static_cast<std::int64_t>(at), count - 1));
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

}  // namespace rooftile::measure
