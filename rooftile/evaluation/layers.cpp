#include "rooftile/evaluation/layers.hpp"

#include <cstddef>
#include <variant>

#include "rooftile/predict/alike.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {

std::vector<EvaluatedLayer> unique_convolutions(std::int64_t batch) {
  std::vector<EvaluatedLayer> unique;
  for (const ZooEntry& entry : delta_networks()) {
    const Workload network = entry.build(batch);
    const std::vector<std::size_t> first = first_alike(network);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const auto* conv = std::get_if<Conv>(&network.ops[i].kind);
      if (conv != nullptr && first[i] == i) unique.push_back({entry.name, network.ops[i].name, *conv});
    }
  }
  return unique;
}

Conv artificial_convolution(std::int64_t batch) {
  Conv conv;
  conv.batch = batch;
  conv.in_channels = 256;
  conv.out_channels = 128;
  conv.axes[1] = conv.axes[2] = {.in = 13, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return conv;
}

}  // namespace rooftile
