// Convolutions drawn at random, to compare closed forms with the simulator on shapes that no network has.
#pragma once

#include <cstdint>

#include "rooftile/workload/op.hpp"

namespace rooftile {

// The layer number `index` of a series; the same on every machine. One to three axes (mostly two), height and width
// apart, filters up to 7 taps, strides up to 3, dilation up to 3, uneven padding, up to 8 groups (not depthwise), 3 to
// 1024 channels, batch up to 256; between 2^22 and 2^35 multiply-accumulates, so that each is replayed in about a
// second at most.
Conv random_layer(std::uint64_t seed, std::uint64_t index);

}  // namespace rooftile
