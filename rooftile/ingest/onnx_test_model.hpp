// Small ONNX files for tests, put together in a line or two.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/workload/workload.hpp"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace rooftile {

class TestModel {
 public:
  using Ints = std::vector<std::int64_t>;
  using Body = std::shared_ptr<const TestModel>;  // a graph within a node: inputs, constants, nodes and outputs of it
  struct Reference {                              // to an attribute of the function around
    std::string name;
  };
  using Attribute = std::pair<std::string, std::variant<std::int64_t, double, std::string, Ints, Body, Reference>>;
  using Element = int;  // of TensorProto::DataType
  static constexpr Element kFloat = 1, kUint8 = 2, kInt8 = 3, kInt32 = 6, kInt64 = 7, kBool = 9;
  static constexpr Element kHalf = 10, kBfloat16 = 16, kInt4 = 22;
  static constexpr std::int64_t kBatch = -1000;  // a dimension named "batch"
  static constexpr std::int64_t kWidth = -1001;  // a dimension named "width"

  explicit TestModel(int opset = 17) : opset_(opset) {}

  TestModel& input(const std::string& name, const Shape& shape, Element element = kFloat);
  TestModel& output(const std::string& name);
  TestModel& weight(const std::string& name, const Shape& shape, Element element = kFloat);   // no payload
  TestModel& payload(const std::string& name, const Shape& shape);                            // float, zeros
  TestModel& ints(const std::string& name, const Ints& values);                               // int64, one dimension
  TestModel& integer(const std::string& name, std::int64_t value);                            // int64, scalar
  TestModel& number(const std::string& name, double value);                                   // float, scalar
  TestModel& floats(const std::string& name, const std::vector<double>& values);              // float, one dimension
  TestModel& external(const std::string& name, const Shape& shape, const std::string& path);  // int64
  TestModel& node(const std::string& type, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs, const std::vector<Attribute>& attributes = {});
  TestModel& name_node(const std::string& name);      // the last one
  TestModel& domain_node(const std::string& domain);  // the last one
  // A function of the model: inputs, nodes and outputs of `body`.
  TestModel& function(const std::string& domain, const std::string& name, const TestModel& body);
  Body body() const { return std::make_shared<TestModel>(*this); }

  std::string bytes() const;

 private:
  struct Constant {
    std::string name;
    Shape shape;
    Element element = kFloat;
    bool has_payload = false;
    Ints ints;
    std::vector<double> floats;
    std::string path;
  };
  struct Input {
    std::string name;
    Shape shape;
    Element element;
  };
  struct Function {
    std::string domain, name;
    Body body;
  };
  struct Node {
    std::string type, name, domain;
    std::vector<std::string> inputs, outputs;
    std::vector<Attribute> attributes;
  };

  void write_graph(onnx::GraphProto& graph) const;
  static void write_node(const Node& node, onnx::NodeProto& added);
  friend struct WriteAttribute;

  int opset_;
  std::vector<Input> inputs_;
  std::vector<Function> functions_;
  std::vector<std::string> outputs_;
  std::vector<Constant> constants_;
  std::vector<Node> nodes_;
};

// What is read of it, which survives a trip through JSON; a failure of the test where not.
Workload loaded(const TestModel& model);

// What reading it says, or "no error".
std::string error_of(const TestModel& model, const OnnxOptions& options = {});

const Shape& shape_of(const Workload& workload, std::size_t output = 0);

}  // namespace rooftile
