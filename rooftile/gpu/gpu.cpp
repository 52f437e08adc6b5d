#include "rooftile/gpu/gpu.hpp"

#include <cassert>

namespace rooftile {

std::string_view name_of(FactKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"vendor", "measured", "stated", "derived", "own"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Peak peak) {
  constexpr std::array<std::string_view, kPeaks> kNames = {"fp64",        "fp32",        "fp16",        "tensor_fp32",
                                                           "tensor_tf32", "tensor_fp16", "tensor_bf16", "tensor_fp8",
                                                           "tensor_int8", "tensor_int4", "tensor_fp4"};
  return kNames[static_cast<std::size_t>(peak)];
}

const MemoryLevel& Gpu::level(std::string_view level_name) const {
  for (const MemoryLevel& candidate : levels) {
    if (candidate.name == level_name) return candidate;
  }
  assert(false && "a validated GPU has L1, L2 and DRAM");
  static const MemoryLevel none;
  return none;
}

}  // namespace rooftile
