#include "rooftile/base/toml_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_depth.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::size_t kDeepest = 4096;  // so that no file can exhaust the stack of a recursive parser

std::string place_in(std::string_view where, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", where, region.begin.line, region.begin.column);
}

}  // namespace

Result<toml::table> parse_toml(std::string_view toml, std::string_view where, std::string_view what) {
  if (toml.size() > kLargestFile) {
    return fail(ErrorCode::bad_input, fmt::format("larger than 1 MiB: not {}", what), std::string(where));
  }
  if (const std::size_t depth = toml_depth(toml); depth > kDeepest) {
    return fail(ErrorCode::bad_input, fmt::format("nests {} deep, at most {}: not {}", depth, kDeepest, what),
                std::string(where));
  }
  toml::parse_result parsed = toml::parse(toml);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorCode::bad_input, one_line(error.description()), place_in(where, error.source()));
  }
  return std::move(parsed).table();
}

std::string TomlReader::place(const toml::source_region& region) const { return place_in(where_, region); }

tl::unexpected<Error> TomlReader::error(const toml::source_region& region, std::string message) const {
  return fail(ErrorCode::bad_input, std::move(message), place(region));
}

tl::unexpected<Error> TomlReader::unknown(const toml::key& key, std::string_view in,
                                          const std::vector<std::string>& known) const {
  std::string hint = did_you_mean(key.str(), known);
  if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(known, ", "));
  return error(key.source(), fmt::format("unknown key '{}'{}{}", one_line(key.str()), in, hint));
}

Result<std::string> TomlReader::words(const toml::node& node, std::string_view what) const {
  const auto* text = node.as_string();
  if (text == nullptr) return error(node.source(), fmt::format("{} must be a string in quotes", what));
  if (text->get().empty()) return error(node.source(), fmt::format("{} is empty", what));
  if (has_control_characters(text->get())) {
    return error(node.source(), fmt::format("{} holds a control character", what));
  }
  return text->get();
}

Result<std::size_t> TomlReader::choice(const toml::node& node, std::string_view what,
                                       const std::vector<std::string>& known) const {
  const auto text = TRY(words(node, what));
  const auto found = std::find(known.begin(), known.end(), text);
  if (found == known.end()) {
    return error(node.source(),
                 fmt::format("unknown {} '{}'; known: {}", what, one_line(text), fmt::join(known, ", ")));
  }
  return static_cast<std::size_t>(found - known.begin());
}

Result<void> TomlReader::read_sources(const toml::table& root) {
  const auto found = root.find("sources");
  if (found == root.end()) return {};
  const auto* table = found->second.as_table();
  if (table == nullptr) return error(found->second.source(), "'sources' must be a table: [sources]");
  for (auto&& [key, node] : *table) {
    auto text = TRY(words(node, fmt::format("source '{}'", one_line(key.str()))));
    sources_.emplace_back(std::string(key.str()), std::move(text));
  }
  return {};
}

Result<std::string> TomlReader::source_of(const toml::node& node) const {
  const auto key = TRY(words(node, "source"));
  std::vector<std::string> known;
  for (const auto& [name, text] : sources_) {
    if (name == key) return text;
    known.push_back(name);
  }
  return error(node.source(),
               fmt::format("source '{}' is not in [sources]{}", one_line(key), did_you_mean(key, known)));
}

tl::unexpected<Error> TomlReader::not_a_fact(const toml::node& node, std::string_view key,
                                             std::string_view example) const {
  return error(node.source(),
               fmt::format("{} must be written {{ value = {}, source = \"a key of [sources]\" }}", key, example));
}

Result<void> TomlReader::check_fact(const toml::table& table, std::string_view key, std::string_view source) const {
  if (!table.contains("value")) return error(table.source(), fmt::format("{} has no value", key));
  if (source.empty()) return error(table.source(), fmt::format("{} has no source", key));
  return {};
}

}  // namespace rooftile
