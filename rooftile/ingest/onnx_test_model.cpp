#include "rooftile/ingest/onnx_test_model.hpp"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/workload_json.hpp"

namespace rooftile {

struct WriteAttribute {
  onnx::AttributeProto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(double value) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const TestModel::Ints& value) const {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t element : value) proto.add_ints(element);
  }
  void operator()(const TestModel::Body& value) const {
    proto.set_type(onnx::AttributeProto::GRAPH);
    value->write_graph(*proto.mutable_g());
  }
  void operator()(const TestModel::Reference& value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_ref_attr_name(value.name);
  }
};

TestModel& TestModel::input(const std::string& name, const Shape& shape, Element element) {
  inputs_.push_back({name, shape, element});
  return *this;
}

TestModel& TestModel::output(const std::string& name) {
  outputs_.push_back(name);
  return *this;
}

TestModel& TestModel::weight(const std::string& name, const Shape& shape, Element element) {
  constants_.push_back({name, shape, element, false, {}, {}, {}});
  return *this;
}

TestModel& TestModel::payload(const std::string& name, const Shape& shape) {
  constants_.push_back({name, shape, kFloat, true, {}, {}, {}});
  return *this;
}

TestModel& TestModel::ints(const std::string& name, const Ints& values) {
  constants_.push_back({name, {static_cast<std::int64_t>(values.size())}, kInt64, false, values, {}, {}});
  return *this;
}

TestModel& TestModel::integer(const std::string& name, std::int64_t value) {
  constants_.push_back({name, {}, kInt64, false, {value}, {}, {}});
  return *this;
}

TestModel& TestModel::number(const std::string& name, double value) {
  constants_.push_back({name, {}, kFloat, false, {}, {value}, {}});
  return *this;
}

TestModel& TestModel::floats(const std::string& name, const std::vector<double>& values) {
  constants_.push_back({name, {static_cast<std::int64_t>(values.size())}, kFloat, false, {}, values, {}});
  return *this;
}

TestModel& TestModel::external(const std::string& name, const Shape& shape, const std::string& path) {
  constants_.push_back({name, shape, kInt64, false, {}, {}, path});
  return *this;
}

TestModel& TestModel::node(const std::string& type, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs, const std::vector<Attribute>& attributes) {
  nodes_.push_back({type, {}, {}, inputs, outputs, attributes});
  return *this;
}

TestModel& TestModel::name_node(const std::string& name) {
  nodes_.back().name = name;
  return *this;
}

TestModel& TestModel::domain_node(const std::string& domain) {
  nodes_.back().domain = domain;
  return *this;
}

TestModel& TestModel::function(const std::string& domain, const std::string& name, const TestModel& body) {
  functions_.push_back({domain, name, body.body()});
  return *this;
}

void TestModel::write_node(const Node& node, onnx::NodeProto& added) {
  added.set_op_type(node.type);
  added.set_name(node.name);
  added.set_domain(node.domain);
  for (const std::string& name : node.inputs) added.add_input(name);
  for (const std::string& name : node.outputs) added.add_output(name);
  for (const auto& [name, value] : node.attributes) {
    onnx::AttributeProto& attribute = *added.add_attribute();
    attribute.set_name(name);
    std::visit(WriteAttribute{attribute}, value);
  }
}

void TestModel::write_graph(onnx::GraphProto& graph) const {
  graph.set_name("test");
  for (const auto& [name, shape, element] : inputs_) {
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(name);
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(element);
    type.mutable_shape();
    for (const std::int64_t dim : shape) {
      auto& added = *type.mutable_shape()->add_dim();
      if (dim == kBatch || dim == kWidth) {
        added.set_dim_param(dim == kBatch ? "batch" : "width");
      } else {
        added.set_dim_value(dim);
      }
    }
  }
  for (const std::string& name : outputs_) graph.add_output()->set_name(name);
  for (const Constant& constant : constants_) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(constant.name);
    tensor.set_data_type(constant.element);
    for (const std::int64_t dim : constant.shape) tensor.add_dims(dim);
    for (const std::int64_t value : constant.ints) tensor.add_int64_data(value);
    for (const double value : constant.floats) tensor.add_float_data(static_cast<float>(value));
    if (constant.has_payload) {
      tensor.set_raw_data(std::string(4 * static_cast<std::size_t>(elements(constant.shape)), '\0'));
    }
    if (!constant.path.empty()) {
      tensor.set_data_location(onnx::TensorProto::EXTERNAL);
      auto& location = *tensor.add_external_data();
      location.set_key("location");
      location.set_value(constant.path);
    }
  }
  for (const Node& node : nodes_) write_node(node, *graph.add_node());
}

std::string TestModel::bytes() const {
  onnx::ModelProto model;
  model.set_ir_version(8);
  if (opset_ != 0) model.add_opset_import()->set_version(opset_);
  write_graph(*model.mutable_graph());
  for (const auto& [domain, name, body] : functions_) {
    onnx::FunctionProto& function = *model.add_functions();
    function.set_domain(domain);
    function.set_name(name);
    for (const Input& input : body->inputs_) function.add_input(input.name);
    for (const std::string& output : body->outputs_) function.add_output(output);
    for (const Node& node : body->nodes_) write_node(node, *function.add_node());
  }
  return model.SerializeAsString();
}

Workload loaded(const TestModel& model) {
  const auto workload = parse_onnx(model.bytes(), "m", "m.onnx");
  if (!workload) {
    ADD_FAILURE() << workload.error().text();
    return {};
  }
  const auto again = parse_workload_json(write_workload_json(*workload), "m");
  EXPECT_TRUE(again.has_value() && *again == *workload) << (again ? "changes as JSON" : again.error().text());
  return *workload;
}

std::string error_of(const TestModel& model, const OnnxOptions& options) {
  const auto workload = parse_onnx(model.bytes(), "m", "m.onnx", options);
  return workload ? "no error" : workload.error().text();
}

const Shape& shape_of(const Workload& workload, std::size_t output) {
  return workload.tensors[workload.outputs.at(output)].shape;
}

}  // namespace rooftile
