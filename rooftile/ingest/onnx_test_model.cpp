#include "rooftile/ingest/onnx_test_model.hpp"

#include <onnx/onnx_pb.h>

namespace rooftile {
namespace {

struct SetAttribute {
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
};

}  // namespace

TestModel& TestModel::input(const std::string& name, const Shape& shape) {
  inputs_.emplace_back(name, shape);
  return *this;
}

TestModel& TestModel::output(const std::string& name) {
  outputs_.push_back(name);
  return *this;
}

TestModel& TestModel::weight(const std::string& name, const Shape& shape) {
  constants_.push_back({name, shape, true, false, {}, {}, {}});
  return *this;
}

TestModel& TestModel::payload(const std::string& name, const Shape& shape) {
  constants_.push_back({name, shape, true, true, {}, {}, {}});
  return *this;
}

TestModel& TestModel::ints(const std::string& name, const Ints& values) {
  constants_.push_back({name, {static_cast<std::int64_t>(values.size())}, false, false, values, {}, {}});
  return *this;
}

TestModel& TestModel::integer(const std::string& name, std::int64_t value) {
  constants_.push_back({name, {}, false, false, {value}, {}, {}});
  return *this;
}

TestModel& TestModel::number(const std::string& name, double value) {
  constants_.push_back({name, {}, true, false, {}, {value}, {}});
  return *this;
}

TestModel& TestModel::floats(const std::string& name, const std::vector<double>& values) {
  constants_.push_back({name, {static_cast<std::int64_t>(values.size())}, true, false, {}, values, {}});
  return *this;
}

TestModel& TestModel::external(const std::string& name, const Shape& shape, const std::string& path) {
  constants_.push_back({name, shape, false, false, {}, {}, path});
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

std::string TestModel::bytes() const {
  onnx::ModelProto model;
  model.set_ir_version(8);
  if (opset_ != 0) model.add_opset_import()->set_version(opset_);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("test");
  for (const auto& [name, shape] : inputs_) {
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(name);
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
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
    tensor.set_data_type(constant.is_float ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64);
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
  for (const Node& node : nodes_) {
    onnx::NodeProto& added = *graph.add_node();
    added.set_op_type(node.type);
    added.set_name(node.name);
    added.set_domain(node.domain);
    for (const std::string& name : node.inputs) added.add_input(name);
    for (const std::string& name : node.outputs) added.add_output(name);
    for (const auto& [name, value] : node.attributes) {
      onnx::AttributeProto& attribute = *added.add_attribute();
      attribute.set_name(name);
      std::visit(SetAttribute{attribute}, value);
    }
  }
  return model.SerializeAsString();
}

}  // namespace rooftile
