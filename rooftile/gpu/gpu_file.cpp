#include "rooftile/gpu/gpu_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/error/nearest.hpp"
#include "rooftile/error/one_line.hpp"
#include "rooftile/gpu/gpu_keys.hpp"
#include "rooftile/gpu/toml.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;
// Bounds how deep a file can nest (every level of nesting costs a dot or a bracket), so that no file can exhaust the
// stack of a recursive parser. The largest file of the catalogue has a few hundred.
constexpr std::ptrdiff_t kMostStructure = 4096;

struct TextKey {
  std::string_view key;
  std::string GpuFile::*field;
};
constexpr std::array kTextKeys = {
    TextKey{"id", &GpuFile::id},
    TextKey{"name", &GpuFile::name},
    TextKey{"vendor", &GpuFile::vendor},
    TextKey{"architecture", &GpuFile::architecture},
    TextKey{"compute_capability", &GpuFile::compute_capability},
    TextKey{"note", &GpuFile::note},
};

std::string place(std::string_view where, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", where, region.begin.line, region.begin.column);
}

class Reader {
 public:
  explicit Reader(std::string_view where) : where_(where) {}

  Result<GpuFile> read(const toml::table& root) {
    if (auto sources = root.find("sources"); sources != root.end()) {
      if (auto done = read_sources(sources->second); !done) return tl::unexpected(done.error());
    }
    for (auto&& [key, node] : root) {
      if (auto done = read_top(key, node); !done) return tl::unexpected(done.error());
    }
    return std::move(file_);
  }

 private:
  tl::unexpected<Error> error(const toml::source_region& region, std::string message) const {
    return fail(ErrorCode::bad_input, std::move(message), place(where_, region));
  }

  // "unknown key 'clok' in [core]; did you mean 'clock'?", or the list where nothing is near.
  tl::unexpected<Error> unknown(const toml::key& key, std::string_view in, const std::vector<std::string>& known) {
    std::string hint = did_you_mean(key.str(), known);
    if (hint.empty()) hint = fmt::format("; known: {}", fmt::join(known, ", "));
    return error(key.source(), fmt::format("unknown key '{}'{}{}", one_line(key.str()), in, hint));
  }

  Result<std::string> words(const toml::node& node, std::string_view what) const {
    const auto* text = node.as_string();
    if (text == nullptr) return error(node.source(), fmt::format("{} must be a text in quotes", what));
    if (text->get().empty()) return error(node.source(), fmt::format("{} is empty", what));
    if (has_control_characters(text->get())) {
      return error(node.source(), fmt::format("{} holds a control character", what));
    }
    return text->get();
  }

  Result<void> read_sources(const toml::node& node) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node.source(), "'sources' must be a table: [sources]");
    for (auto&& [key, text] : *table) {
      auto words_of = words(text, fmt::format("source '{}'", one_line(key.str())));
      if (!words_of) return tl::unexpected(words_of.error());
      sources_.emplace_back(std::string(key.str()), std::move(*words_of));
    }
    return {};
  }

  Result<void> read_top(const toml::key& key, const toml::node& node) {
    if (key.str() == "sources") return {};
    if (key.str() == "level") return read_levels(node);
    for (const TextKey& row : kTextKeys) {
      if (row.key != key.str()) continue;
      auto text = words(node, row.key);
      if (!text) return tl::unexpected(text.error());
      file_.*row.field = std::move(*text);
      return {};
    }
    std::vector<std::string> known = gpu_sections();
    if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
      known.emplace_back("sources");
      for (const TextKey& row : kTextKeys) known.emplace_back(row.key);
      return unknown(key, "", known);
    }
    const auto* table = node.as_table();
    if (table == nullptr) return error(node.source(), fmt::format("'{0}' must be a table: [{0}]", key.str()));
    return read_section(*table, key.str(), key.str());
  }

  // The facts of a table. `section` is the section of the key table, `prefix` what goes before the name in a fact's
  // key ("level.L2").
  Result<void> read_section(const toml::table& table, std::string_view section, std::string_view prefix) {
    for (auto&& [key, node] : table) {
      if (section == "level" && key.str() == "name") continue;
      const GpuKey* row = find_gpu_key(fmt::format("{}.{}", section, key.str()));
      if (row == nullptr) {
        return unknown(key, fmt::format(" in [{}]", section), gpu_key_names(section));
      }
      auto fact = read_fact(node, *row, fmt::format("{}.{}", prefix, key.str()));
      if (!fact) return tl::unexpected(fact.error());
      file_.facts.add(std::move(*fact));
    }
    return {};
  }

  Result<void> read_levels(const toml::node& node) {
    const auto* levels = node.as_array();
    if (levels == nullptr) return error(node.source(), "a memory level is written [[level]], with two brackets");
    std::vector<std::string> known;
    for (const LevelName& level : kLevelNames) known.emplace_back(level.name);
    std::vector<std::string> seen;
    for (const toml::node& element : *levels) {
      const auto* table = element.as_table();
      if (table == nullptr) return error(element.source(), "a memory level is written [[level]]");
      const auto name_at = table->find("name");
      if (name_at == table->end()) return error(element.source(), "a level needs a name: name = \"L2\"");
      auto name = words(name_at->second, "the name of a level");
      if (!name) return tl::unexpected(name.error());
      if (std::find(known.begin(), known.end(), *name) == known.end()) {
        return error(name_at->second.source(),
                     fmt::format("unknown level '{}'; known: {}", one_line(*name), fmt::join(known, ", ")));
      }
      if (std::find(seen.begin(), seen.end(), *name) != seen.end()) {
        return error(name_at->second.source(), fmt::format("level {} is given twice", *name));
      }
      seen.push_back(*name);
      if (auto done = read_section(*table, "level", "level." + *name); !done) return done;
    }
    return {};
  }

  // { value = …, source = "key", kind = "measured", note = "…" }
  Result<NumberedFact> read_fact(const toml::node& node, const GpuKey& row, std::string key) {
    const auto* table = node.as_table();
    if (table == nullptr) {
      return error(node.source(), fmt::format("{} must be written {{ value = {}, source = \"a key of [sources]\" }}",
                                              key, example_of(row.unit)));
    }
    NumberedFact entry;
    entry.fact.key = std::move(key);
    bool has_value = false;
    for (auto&& [name, part] : *table) {
      Result<void> done;
      if (name.str() == "value") {
        has_value = true;
        done = read_value(part, row, entry);
      } else if (name.str() == "source") {
        done = read_source(part, entry.fact);
      } else if (name.str() == "kind") {
        done = read_kind(part, entry.fact);
      } else if (name.str() == "note") {
        done = words(part, "note").map([&](std::string text) { entry.fact.note = std::move(text); });
      } else {
        return unknown(name, fmt::format(" of {}", entry.fact.key), {"value", "source", "kind", "note"});
      }
      if (!done) return tl::unexpected(done.error());
    }
    if (!has_value) return error(table->source(), fmt::format("{} has no value", entry.fact.key));
    if (entry.fact.source.empty()) return error(table->source(), fmt::format("{} has no source", entry.fact.key));
    return entry;
  }

  Result<void> read_value(const toml::node& node, const GpuKey& row, NumberedFact& entry) {
    if (row.unit == FactUnit::text) {
      return words(node, entry.fact.key).map([&](std::string text) { entry.fact.text = std::move(text); });
    }
    if (row.unit == FactUnit::date) {
      const auto* date = node.as_date();
      if (date == nullptr) return wrong_form(node, row, entry.fact.key, "a date");
      entry.fact.text = fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day);
      return {};
    }
    if (is_quantity(row.unit)) {
      const auto* text = node.as_string();
      if (text == nullptr) return wrong_form(node, row, entry.fact.key, "a number and its unit in quotes");
      auto number = parse_quantity(row.unit, text->get());
      if (!number) {
        return error(node.source(), fmt::format("{}: {}", entry.fact.key, one_line(number.error().message)));
      }
      entry.number = *number;
      entry.fact.text = text->get();
    } else {
      const std::optional<double> number = node.value<double>();
      if (!node.is_number() || !number) return wrong_form(node, row, entry.fact.key, "a plain number");
      entry.number = *number;
      entry.fact.text = print_number(row.unit, *number);
    }
    return check_range(node, row, entry);
  }

  tl::unexpected<Error> wrong_form(const toml::node& node, const GpuKey& row, std::string_view key,
                                   std::string_view wanted) const {
    return error(node.source(), fmt::format("{} must be {}, as in {}", key, wanted, example_of(row.unit)));
  }

  Result<void> check_range(const toml::node& node, const GpuKey& row, const NumberedFact& entry) const {
    // Written so that a NaN fails.
    if (!(entry.number >= row.least && entry.number <= row.most)) {
      return error(node.source(),
                   fmt::format("{} = {} is out of range: {} to {}", entry.fact.key, one_line(entry.fact.text),
                               print_number(row.unit, row.least), print_number(row.unit, row.most)));
    }
    if (row.unit == FactUnit::count && entry.number != std::floor(entry.number)) {
      return error(node.source(), fmt::format("{} = {} must be a whole number", entry.fact.key, entry.fact.text));
    }
    return {};
  }

  Result<void> read_source(const toml::node& node, Fact& fact) {
    auto key = words(node, "source");
    if (!key) return tl::unexpected(key.error());
    std::vector<std::string> known;
    for (const auto& [name, text] : sources_) {
      if (name == *key) {
        fact.source = text;
        return {};
      }
      known.push_back(name);
    }
    return error(node.source(),
                 fmt::format("source '{}' is not in [sources]{}", one_line(*key), did_you_mean(*key, known)));
  }

  Result<void> read_kind(const toml::node& node, Fact& fact) {
    auto name = words(node, "kind");
    if (!name) return tl::unexpected(name.error());
    std::vector<std::string> known;
    for (const FactKind kind : {FactKind::vendor, FactKind::measured, FactKind::stated, FactKind::derived}) {
      if (name_of(kind) == *name) {
        fact.kind = kind;
        return {};
      }
      known.emplace_back(name_of(kind));
    }
    return error(node.source(), fmt::format("unknown kind '{}'; known: {}", one_line(*name), fmt::join(known, ", ")));
  }

  std::string_view where_;
  std::vector<std::pair<std::string, std::string>> sources_;
  GpuFile file_;
};

}  // namespace

Result<GpuFile> read_gpu_file(std::string_view toml, std::string_view where) {
  if (toml.size() > kLargestFile) {
    return fail(ErrorCode::bad_input, "larger than 1 MiB: not a GPU file", std::string(where));
  }
  const auto structure =
      std::count_if(toml.begin(), toml.end(), [](char c) { return c == '.' || c == '[' || c == '{'; });
  if (structure > kMostStructure) {
    return fail(
        ErrorCode::bad_input,
        fmt::format("{} dots and opening brackets, at most {} are read: not a GPU file", structure, kMostStructure),
        std::string(where));
  }
  const toml::parse_result parsed = toml::parse(toml);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorCode::bad_input, one_line(error.description()), place(where, error.source()));
  }
  return Reader(where).read(parsed.table());
}

}  // namespace rooftile
