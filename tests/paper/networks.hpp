// The convolution layers that the paper evaluates: four networks at batch 256.
#pragma once

#include <algorithm>
#include <cassert>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile::paper {

constexpr std::int64_t kBatch = 256;
constexpr std::string_view kNetworks[] = {"alexnet", "vgg16", "googlenet", "resnet152"};

struct Layer {
  std::string name;
  std::string_view network;
  Conv conv;
};

// All convolutions of one network, in order.
inline std::vector<Layer> layers_of(std::string_view network) {
  std::vector<Layer> layers;
  for (const ZooEntry& entry : zoo()) {
    if (entry.name != network) continue;
    for (const Op& op : entry.build(kBatch).ops) {
      if (const auto* conv = std::get_if<Conv>(&op.kind)) layers.push_back({op.name, network, *conv});
    }
  }
  assert(!layers.empty());
  return layers;
}

// The first of equal layers of one network, for each network.
inline std::vector<Layer> unique_layers() {
  std::vector<Layer> unique;
  for (const std::string_view network : kNetworks) {
    const std::size_t first = unique.size();
    for (const Layer& layer : layers_of(network)) {
      const bool seen = std::any_of(unique.begin() + static_cast<std::ptrdiff_t>(first), unique.end(),
                                    [&](const Layer& other) { return other.conv == layer.conv; });
      if (!seen) unique.push_back(layer);
    }
  }
  return unique;
}

inline Gpu titan_xp() { return find_gpu("titan-xp-delta").value(); }

}  // namespace rooftile::paper
