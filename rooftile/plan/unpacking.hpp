// Products that unpack B into registers before they multiply: MXFP4 on Hopper.
#pragma once

#include <algorithm>

namespace rooftile {

// Rows of the product whose multiplication takes as long as unpacking B for a tile, on an SM that does so many
// multiply-accumulates a clock. A column of k takes three instructions an element at 64 a clock, where the tensor cores
// take rows / macs: of H100's 2,048 as long as 96 rows. With tiles of 128 rows, the largest that Triton has for it,
// 0.57 of the 16-bit peak is left, of which its kernels reach the 49 % measured (triton-lang/triton, pull request
// 6833).
constexpr double unpacking_rows(double macs_per_clock) {
  constexpr double kInstructions = 3, kPerClock = 64;
  return kInstructions / kPerClock * macs_per_clock;
}

// Of the tensor cores' rate, for a tile of so many rows, each of which unpacks B again.
constexpr double kMostUnpackingRows = 128;
constexpr double unpacked_share(double tile_rows, double unpacking) {
  const double rows = std::min(tile_rows, kMostUnpackingRows);
  return rows / (rows + unpacking);
}

}  // namespace rooftile
