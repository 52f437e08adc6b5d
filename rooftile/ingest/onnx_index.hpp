// Which node computes a value of an ONNX graph and which nodes read it, for recognising patterns.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

class OnnxIndex {
 public:
  static constexpr std::size_t kOutside = static_cast<std::size_t>(-1);
  using Pair = std::array<ValueId, 2>;

  explicit OnnxIndex(const OnnxGraph& graph)
      : graph_(graph), producer_(graph.values.size()), readers_(graph.values.size()) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const ValueId id : graph.nodes[i].outputs) {
        if (id != kAbsent) producer_[id] = i;
      }
      for (const ValueId id : graph.nodes[i].inputs) {
        if (id != kAbsent) readers_[id].push_back(i);
      }
    }
    for (const ValueId id : graph.outputs) readers_[id].push_back(kOutside);
  }

  // The node that computes `id`, null for inputs and constants; with a type only if it is of that type.
  const OnnxNode* from(ValueId id) const {
    return id == kAbsent || !producer_[id] ? nullptr : &graph_.nodes[*producer_[id]];
  }
  const OnnxNode* from(ValueId id, std::string_view type) const {
    const OnnxNode* node = from(id);
    return node != nullptr && node->type == type ? node : nullptr;
  }
  std::size_t index_of_producer(ValueId id) const { return *producer_[id]; }

  // Nodes that read `id`; kOutside where it is an output of the network.
  const std::vector<std::size_t>& readers(ValueId id) const { return readers_[id]; }

  // The operands of a binary operator, and the same swapped: for matching where their order does not matter.
  static std::vector<Pair> orders(const OnnxNode& node) {
    if (node.inputs.size() != 2 || node.inputs[0] == kAbsent || node.inputs[1] == kAbsent) return {};
    return {{node.inputs[0], node.inputs[1]}, {node.inputs[1], node.inputs[0]}};
  }

  bool is_scalar(ValueId id, double value) const {
    if (id == kAbsent || elements(graph_.shape(id)) != 1 || !graph_.values[id].data) return false;
    const OnnxData& data = *graph_.values[id].data;
    const Floats* floats = std::get_if<Floats>(&data);
    const double held = floats ? floats->front() : static_cast<double>(std::get<Ints>(data).front());
    return std::abs(held - value) <= 1e-3 * std::abs(value);  // exporters round sqrt(2) to 1.414 and 1.4142135
  }

 private:
  const OnnxGraph& graph_;
  std::vector<std::optional<std::size_t>> producer_;
  std::vector<std::vector<std::size_t>> readers_;
};

}  // namespace rooftile
