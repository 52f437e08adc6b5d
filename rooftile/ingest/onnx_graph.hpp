// An ONNX graph without protobuf: what lies between the reader (onnx_proto.cpp) and the operator table (onnx_ops.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using OnnxData = std::variant<Ints, Floats>;  // elements of a small tensor: integers and booleans, or floating point

// A tensor of the graph. Shapes of computed ones are empty until resolve() has been there.
struct OnnxValue {
  std::string name;
  Shape shape;
  DType dtype = DType::fp32;
  bool constant = false;         // does not depend on the network's inputs
  bool external = false;         // its elements are in another file, which is not opened
  bool learned = false;          // a weight that was stripped, or one with its elements in another order
  std::optional<OnnxData> data;  // the elements of a small constant
  std::optional<DType> stored;   // of a constant that was dequantised: what its elements were before
};

using ValueId = std::size_t;                                          // index into OnnxGraph::values
constexpr ValueId kAbsent = std::numeric_limits<std::size_t>::max();  // an optional operand that is left out

struct OnnxBody;
using OnnxAttribute =
    std::variant<std::int64_t, double, std::string, Ints, Floats, OnnxValue, std::shared_ptr<const OnnxBody>>;

struct OnnxNode {
  std::string name;  // never empty
  std::string type;  // "Conv"; operators outside ONNX's own domain as "domain.Type"
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::map<std::string, OnnxAttribute, std::less<>> attributes;

  ValueId input(std::size_t i) const { return i < inputs.size() ? inputs[i] : kAbsent; }

  // The attribute's value, or what to take where it is missing or of another type.
  std::int64_t get_int(std::string_view key, std::int64_t otherwise) const;
  std::string get_string(std::string_view key, std::string_view otherwise) const;
  Ints get_ints(std::string_view key) const;             // empty where missing
  const OnnxBody* get_body(std::string_view key) const;  // null where missing

  // "node 'conv1' (Conv)", for errors.
  std::string label() const;
};

// A graph within a node: a branch of an If, the body of a Loop. It may read values of the graphs around it.
struct OnnxBody {
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> locals;  // values of its own that each run has anew: its inputs and what its nodes compute
  std::vector<OnnxNode> nodes;
};

// A dimension of an input: a number, or a symbol such as "batch".
struct OnnxDim {
  std::optional<std::int64_t> value;
  std::string symbol;
};

struct OnnxInput {
  ValueId value = kAbsent;
  std::vector<OnnxDim> dims;
};

struct OnnxGraph {
  int opset = 0;
  bool computes_on_weights = false;  // what depends on weights alone is computed at each run, as eager PyTorch does
  bool one_image = false;            // is what the network reads: its first input has no batch
  std::vector<OnnxValue> values;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxInput> inputs;
  std::vector<ValueId> outputs;
  std::map<std::string, std::size_t> assumed;  // sentences on what shapes leave open, with the nodes they are true of

  const Shape& shape(ValueId id) const { return values[id].shape; }
};

// A name as an error message shows it: in quotes, on one line, shortened.
std::string in_quotes(std::string_view name);

}  // namespace rooftile
