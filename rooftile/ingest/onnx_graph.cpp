#include "rooftile/ingest/onnx_graph.hpp"

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"

namespace rooftile {
namespace {

template <class T>
const T* get(const OnnxNode& node, std::string_view key) {
  const auto found = node.attributes.find(key);
  return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

std::int64_t OnnxNode::get_int(std::string_view key, std::int64_t otherwise) const {
  const auto* value = get<std::int64_t>(*this, key);
  return value ? *value : otherwise;
}

std::string OnnxNode::get_string(std::string_view key, std::string_view otherwise) const {
  const auto* value = get<std::string>(*this, key);
  return value ? *value : std::string(otherwise);
}

Ints OnnxNode::get_ints(std::string_view key) const {
  const auto* value = get<Ints>(*this, key);
  return value ? *value : Ints{};
}

const OnnxBody* OnnxNode::get_body(std::string_view key) const {
  const auto* value = get<std::shared_ptr<const OnnxBody>>(*this, key);
  return value ? value->get() : nullptr;
}

std::string OnnxNode::label() const { return fmt::format("node {} ({})", in_quotes(name), one_line(type, 100)); }

std::string in_quotes(std::string_view name) { return fmt::format("'{}'", one_line(name, 100)); }

}  // namespace rooftile
