#include "rooftile/ingest/onnx_graph.hpp"

#include <fmt/format.h>

namespace rooftile {
namespace {

template <class T>
const T* get(const OnnxNode& node, std::string_view key) {
  const auto found = node.attributes.find(key);
  return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

// Well-formed UTF-8 (Unicode 15, table 3-7).
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const unsigned lead = byte(i++);
    if (lead < 0x80) continue;
    const int more = lead >= 0xc2 && lead <= 0xdf   ? 1
                     : (lead & 0xf0) == 0xe0        ? 2
                     : lead >= 0xf0 && lead <= 0xf4 ? 3
                                                    : 0;
    const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (more == 0 || byte(i) < low || byte(i) > high) return false;
    ++i;
    for (int k = 1; k < more; ++k, ++i) {
      if ((byte(i) & 0xc0) != 0x80) return false;
    }
  }
  return true;
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

std::string OnnxNode::label() const { return fmt::format("node {} ({})", quoted(name), printable(type)); }

std::string printable(std::string_view name) {
  std::string text(name);
  const bool ascii_only = !is_utf8(name);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (ascii_only && byte >= 0x80)) c = '?';
  }
  return text;
}

std::string quoted(std::string_view name) {
  constexpr std::size_t kShown = 100;
  return fmt::format("'{}{}'", printable(name.substr(0, kShown)), name.size() > kShown ? "..." : "");
}

}  // namespace rooftile
