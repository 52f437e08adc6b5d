// cuDNN's algorithms of convolutions by the names that layer tables give them.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/workload/pass.hpp"

namespace rooftile::measure {

// The name (docs/formats.md, column `algorithm`) of the algorithm that cuDNN's enumeration for `pass` gives `number`
// (cudnn_ops_v9.h); empty: unknown. Several of cuDNN's share a name: with and without precomputed indices, sums by
// atomics or not, FFT of the whole map or of tiles.
std::string_view algorithm_name(Pass pass, int number);

// Whether any algorithm of the pass has this name.
bool has_algorithm(Pass pass, std::string_view name);

// The names that the pass has: "implicit_gemm, winograd".
std::string algorithm_names(Pass pass);

}  // namespace rooftile::measure
