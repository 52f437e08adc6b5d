// The convolution layers that the paper evaluates: four networks at batch 256.
#pragma once

#include <string_view>
#include <vector>

#include "rooftile/evaluation/layers.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile::paper {

constexpr std::int64_t kBatch = 256;
using Layer = EvaluatedLayer;

// All convolutions of one network, in order.
inline std::vector<Layer> layers_of(std::string_view network) { return convolutions_of(network, kBatch); }

// The first of equal layers of one network, for each network.
inline std::vector<Layer> unique_layers() { return unique_convolutions(kBatch); }

inline Gpu titan_xp() { return find_gpu("titan-xp-delta").value(); }

}  // namespace rooftile::paper
