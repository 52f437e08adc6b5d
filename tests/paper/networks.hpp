// The convolution layers that the paper evaluates: four networks at batch 256.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "rooftile/evaluation/layers.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile::paper {

constexpr std::int64_t kBatch = 256;
using Layer = EvaluatedLayer;

// All convolutions of one network, in order.
inline std::vector<Layer> layers_of(std::string_view network) {
  std::vector<Layer> layers;
  for (const ZooEntry& entry : delta_networks()) {
    if (entry.name != network) continue;
    for (const Op& op : entry.build(kBatch).ops) {
      if (const auto* conv = std::get_if<Conv>(&op.kind)) layers.push_back({entry.name, op.name, *conv});
    }
  }
  return layers;
}

// The first of equal layers of one network, for each network.
inline std::vector<Layer> unique_layers() { return unique_convolutions(kBatch); }

inline Gpu titan_xp() { return find_gpu("titan-xp-delta").value(); }

}  // namespace rooftile::paper
