#include "rooftile/ingest/onnx_quantised.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "rooftile/ingest/onnx_index.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 5> kProducts = {"Conv", "ConvTranspose", "FusedMatMul", "Gemm", "MatMul"};
constexpr std::array<std::string_view, 23> kPointwise = {
    "Add",       "AveragePool", "Clip",    "Concat",  "Flatten",   "Gather",    "GlobalAveragePool", "HardSigmoid",
    "HardSwish", "LeakyRelu",   "MaxPool", "Mul",     "Pad",       "Relu",      "Reshape",           "Resize",
    "Sigmoid",   "Slice",       "Split",   "Squeeze", "Transpose", "Unsqueeze", "GlobalMaxPool"};

template <std::size_t count>
bool among(const std::array<std::string_view, count>& types, std::string_view type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

class QuantisedFuser {
 public:
  explicit QuantisedFuser(OnnxGraph& graph) : graph_(graph), index_(graph) {}

  void run() {
    for (OnnxNode& node : graph_.nodes) {
      const bool product = among(kProducts, node.type);
      if (product || among(kPointwise, node.type)) read_integers(node, product);
    }
    for (OnnxNode& node : graph_.nodes) write_integers(node);
  }

 private:
  bool is_int8(ValueId id) const { return graph_.values[id].dtype == DType::int8; }

  // The integers of 8 bits that `id` was dequantised from.
  std::optional<ValueId> integers_of(ValueId id) const {
    const OnnxNode* from = id == kAbsent ? nullptr : index_.from(id, "DequantizeLinear");
    if (from == nullptr || from->input(0) == kAbsent || !is_int8(from->inputs[0])) return std::nullopt;
    return graph_.shape(from->inputs[0]) == graph_.shape(id) ? std::optional(from->inputs[0]) : std::nullopt;
  }

  bool is_quantised_weight(ValueId id) const {
    return graph_.values[id].constant && graph_.values[id].stored == DType::int8;
  }

  void read_integers(OnnxNode& node, bool product) {
    const std::size_t activations = product ? std::min<std::size_t>(node.inputs.size(), 2)
                                    : node.type == "Add" || node.type == "Mul" || node.type == "Concat"
                                        ? node.inputs.size()
                                        : 1;
    std::vector<ValueId> integers;
    for (std::size_t i = 0; i < activations; ++i) {
      if (node.input(i) == kAbsent) return;
      if (const auto found = integers_of(node.inputs[i])) {
        integers.push_back(*found);
      } else if (is_quantised_weight(node.inputs[i])) {
        integers.push_back(node.inputs[i]);
      } else {
        return;
      }
    }
    for (std::size_t i = 0; i < integers.size(); ++i) {
      if (integers[i] == node.inputs[i]) graph_.values[integers[i]].dtype = DType::int8;  // as it is stored
      node.inputs[i] = integers[i];
    }
  }

  // Where the result, perhaps of an activation after it, goes into a QuantizeLinear alone.
  void write_integers(OnnxNode& node) {
    const bool fits = among(kProducts, node.type) || among(kPointwise, node.type);
    if (!fits || node.outputs.size() != 1 || node.input(0) == kAbsent || !is_int8(node.inputs[0])) return;
    const ValueId result = node.outputs[0];
    const OnnxNode* reader = only_reader(result);
    if (reader == nullptr) return;
    if (reader->type == "QuantizeLinear" && reader->input(0) == result) {
      quantise(node, *reader);
    } else if (reader->type == "Relu" || reader->type == "Clip") {
      OnnxNode& activation = graph_.nodes[index_.index_of_producer(reader->outputs[0])];
      const OnnxNode* last = only_reader(activation.outputs[0]);
      if (last == nullptr || last->type != "QuantizeLinear" || last->input(0) != activation.outputs[0]) return;
      graph_.values[result].dtype = graph_.values[last->outputs[0]].dtype;
      quantise(activation, *last);
    }
  }

  const OnnxNode* only_reader(ValueId id) const {
    const std::vector<std::size_t>& readers = index_.readers(id);
    return readers.size() == 1 && readers[0] != OnnxIndex::kOutside ? &graph_.nodes[readers[0]] : nullptr;
  }

  // The result of `last` becomes that of `node`; the old one is nobody's, and `last` computes it.
  void quantise(OnnxNode& node, const OnnxNode& last) {
    OnnxNode& gone = graph_.nodes[index_.index_of_producer(last.outputs[0])];
    const ValueId integers = gone.outputs[0];
    gone.outputs[0] = node.outputs[0];
    gone.inputs[0] = integers;
    node.outputs[0] = integers;
  }

  OnnxGraph& graph_;
  OnnxIndex index_;
};

}  // namespace

void fuse_quantised(OnnxGraph& graph) {
  const auto quantises = [](const OnnxNode& node) { return node.type == "QuantizeLinear"; };
  if (std::any_of(graph.nodes.begin(), graph.nodes.end(), quantises)) QuantisedFuser(graph).run();
}

}  // namespace rooftile
