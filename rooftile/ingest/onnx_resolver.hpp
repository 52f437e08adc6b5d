// The pass that makes every shape of an ONNX graph known. onnx_resolve.cpp has single operators, onnx_control.cpp those
// that hold graphs or lists of tensors, onnx_bounds.cpp what sizes are at most that data decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_graph.hpp"

namespace rooftile {

// If, Loop, Scan, and the operators on sequences of tensors: they leave the graph, what they hold takes their place.
bool is_control(std::string_view onnx_type);
std::vector<std::string> control_names();

class OnnxResolver {
 public:
  OnnxResolver(OnnxGraph& graph, const OnnxOptions& options) : graph_(graph), options_(options) {}

  Result<void> run();

 private:
  // --- onnx_resolve.cpp ----------------------------------------------------------------------------------------------

  // Puts the node, or what it stands for, at the end of the graph. The error names the node.
  Result<void> place(OnnxNode node);
  Result<void> place_one(OnnxNode& node);
  Result<void> place_lowered(const OnnxNode& node);
  void assume(const OnnxNode& node);  // notes what its shapes took for granted
  // Infers one node; false: its outputs are constants and it leaves the graph.
  Result<bool> infer(OnnxNode& node);

  Result<void> check_operands(const OnnxNode& node) const;
  Result<void> define_results(const OnnxNode& node);
  Result<bool> set_constant(const OnnxNode& node);
  void follow_batch(OnnxNode& node);
  void follow_positions(const OnnxNode& node);
  Result<void> check_reshape(const OnnxNode& node) const;
  tl::unexpected<Error> explain(const OnnxNode& node, Error error) const;

  // Values that were added to the graph meanwhile; constants are defined.
  void admit();
  bool is_defined(ValueId id) const { return defined_[id]; }
  ValueId canonical(ValueId id) const {
    const auto found = aliases_.find(id);
    return found == aliases_.end() ? id : found->second;
  }
  // `id` is another name of `of`, which is computed.
  void alias(ValueId id, ValueId of);

  // --- onnx_bounds.cpp -----------------------------------------------------------------------------------------------

  // A size of a Resize, an Expand or a ConstantOfShape that depends on the data becomes the height or the width of the
  // network's image; ends of a Slice that do become those of the whole.
  void bound_by_image(OnnxNode& node);
  void bound_slice(OnnxNode& node);
  bool depends_on_data(ValueId id) const;
  // What a loop that collects results starts with, a tensor of none, is not joined with them.
  void drop_empty(OnnxNode& node) const;
  // The elements of a small tensor of integers, as far as they are known; those of what the node computes.
  std::vector<std::optional<std::int64_t>> parts_of(ValueId id) const;
  void remember_parts(const OnnxNode& node);
  ValueId add_integers(Ints known);

  // --- onnx_control.cpp ----------------------------------------------------------------------------------------------

  Result<void> expand(const OnnxNode& node);
  Result<void> expand_if(const OnnxNode& node);
  Result<void> expand_loop(const OnnxNode& node);
  Result<void> expand_scan(const OnnxNode& node);
  Result<void> expand_sequence(const OnnxNode& node);
  Result<std::vector<ValueId>> split_parts(const OnnxNode& node);          // of SplitToSequence
  Result<Ints> part_sizes(const OnnxNode& node, std::int64_t size) const;  // along the axis that is split
  // Adds a node that takes a value of that shape out of another.
  Result<ValueId> place_slice(const OnnxNode& node, ValueId whole, const Shape& shape, std::string name);
  // Places the nodes of a body for these arguments; what its outputs are.
  Result<std::vector<ValueId>> run_body(const OnnxNode& node, const OnnxBody& body,
                                        const std::vector<ValueId>& arguments);
  // The results of all runs, one after another, as result `id`.
  Result<void> join_results(const OnnxNode& node, const std::vector<ValueId>& results, ValueId id, std::int64_t axis);
  std::optional<std::int64_t> known_integer(ValueId id) const;
  ValueId add_integer(std::int64_t value, DType type);
  tl::unexpected<Error> stop(const OnnxNode& node, ErrorCode code, std::string message) const;

  OnnxGraph& graph_;
  const OnnxOptions& options_;
  std::vector<bool> defined_;  // by ValueId
  std::vector<OnnxNode> kept_;
  std::unordered_map<ValueId, ValueId> aliases_;
  std::unordered_map<ValueId, std::vector<ValueId>> sequences_;
  std::unordered_map<ValueId, std::vector<std::optional<std::int64_t>>> parts_;  // of integers known in part
  std::size_t copied_ = 0;                                                       // of bodies: their size in all
  std::optional<std::int64_t> batch_;
  std::optional<std::int64_t> file_batch_;  // what the file has where the batch is replaced
};

}  // namespace rooftile
