// One operator written as several simpler ones: what the rewriting functions (onnx_lower_*.cpp) put the new nodes
// together with.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// Attributes that no file has: the shape of all results of a node, and the type of its elements, where the operator
// that it stands for says them. Without, shape inference does.
inline constexpr std::string_view kShapeAttribute = "rooftile.shape";
inline constexpr std::string_view kTypeAttribute = "rooftile.type";
// Computed at each run even if its operands are weights.
inline constexpr std::string_view kEachRunAttribute = "rooftile.each_run";

class Lowering {
 public:
  using Attributes = std::map<std::string, OnnxAttribute, std::less<>>;

  Lowering(OnnxGraph& graph, const OnnxNode& node) : graph_(graph), node_(node) {}

  const OnnxNode& node() const { return node_; }
  std::vector<OnnxNode> take() { return std::move(nodes_); }

  // Operand `i`, or kAbsent; and one that must be there.
  ValueId in(std::size_t i) const { return node_.input(i); }
  Result<ValueId> need(std::size_t i) const;
  // The result `i`; a new value where nobody asks for it.
  ValueId out(std::size_t i, std::string_view suffix = "result");
  bool wants(std::size_t i) const { return i < node_.outputs.size() && node_.outputs[i] != kAbsent; }

  Shape shape(ValueId id) const { return graph_.shape(id); }
  DType type(ValueId id) const { return graph_.values[id].dtype; }
  // The only element of a constant whose value is known.
  std::optional<std::int64_t> number(ValueId id) const;

  // A value between the new nodes, and a constant.
  ValueId between(std::string_view suffix);
  ValueId constant(Ints elements);
  // Makes the result `i` a constant of unknown value: what only the operator's own kernels look at.
  void make_constant(std::size_t i, DType type, Shape shape);

  // Appends a node and says what it computes; kAbsent among the inputs is dropped at the end only.
  ValueId add(std::string_view type, std::vector<ValueId> inputs, ValueId output, Attributes attributes = {});
  OnnxNode& add_node(std::string_view type, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                     Attributes attributes = {});

  // The node's own attributes but for some.
  Attributes attributes_without(std::initializer_list<std::string_view> dropped) const;

 private:
  OnnxGraph& graph_;
  OnnxNode node_;
  std::vector<OnnxNode> nodes_;
};

// Attributes that give the shape, the type of the elements, or both.
Lowering::Attributes of_shape(const Shape& shape);
Lowering::Attributes of_type(DType type);
Lowering::Attributes of(const Shape& shape, DType type);

}  // namespace rooftile
