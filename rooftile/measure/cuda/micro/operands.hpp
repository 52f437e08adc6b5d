// What the tensor units are given to multiply: one value for all of A and one for all of B, as the bits of a register,
// so that the result is known. A is 1.5 and B is 0.5; as integers 3 and 5.
#pragma once

#include <cstdint>

namespace rooftile::measure {

// `depth`: 32 bytes of A's row, what one instruction multiplies.
template <class Accumulator, int depth, std::uint32_t a_bits, std::uint32_t negative_a_bits, std::uint32_t b_bits>
struct Operands {
  using Sum = Accumulator;
  static constexpr int k = depth;
  static constexpr std::uint32_t a_value = a_bits;
  static constexpr std::uint32_t negative_a_value = negative_a_bits;
  static constexpr std::uint32_t b_value = b_bits;
  static constexpr double product = 0.75;
};

using Fp16Operands = Operands<float, 16, 0x3e003e00U, 0xbe00be00U, 0x38003800U>;
using Bf16Operands = Operands<float, 16, 0x3fc03fc0U, 0xbfc0bfc0U, 0x3f003f00U>;
using Tf32Operands = Operands<float, 8, 0x3fc00000U, 0xbfc00000U, 0x3f000000U>;
using Fp8Operands = Operands<float, 32, 0x3c3c3c3cU, 0xbcbcbcbcU, 0x30303030U>;  // e4m3
struct Int8Operands : Operands<std::int32_t, 32, 0x03030303U, 0xfdfdfdfdU, 0x05050505U> {
  static constexpr double product = 15;
};

}  // namespace rooftile::measure
