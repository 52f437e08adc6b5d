// Small ONNX files for tests, put together in a line or two.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/workload/workload.hpp"

namespace rooftile {

class TestModel {
 public:
  using Ints = std::vector<std::int64_t>;
  using Attribute = std::pair<std::string, std::variant<std::int64_t, double, std::string, Ints>>;
  static constexpr std::int64_t kBatch = -1000;  // a dimension named "batch"
  static constexpr std::int64_t kWidth = -1001;  // a dimension named "width"

  explicit TestModel(int opset = 17) : opset_(opset) {}

  TestModel& input(const std::string& name, const Shape& shape);
  TestModel& output(const std::string& name);
  TestModel& weight(const std::string& name, const Shape& shape);                             // float, no payload
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

  std::string bytes() const;

 private:
  struct Constant {
    std::string name;
    Shape shape;
    bool is_float = true;
    bool has_payload = false;
    Ints ints;
    std::vector<double> floats;
    std::string path;
  };
  struct Node {
    std::string type, name, domain;
    std::vector<std::string> inputs, outputs;
    std::vector<Attribute> attributes;
  };

  int opset_;
  std::vector<std::pair<std::string, Shape>> inputs_;
  std::vector<std::string> outputs_;
  std::vector<Constant> constants_;
  std::vector<Node> nodes_;
};

}  // namespace rooftile
