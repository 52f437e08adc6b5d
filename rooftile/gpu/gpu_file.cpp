#include "rooftile/gpu/gpu_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/gpu/gpu_keys.hpp"

namespace rooftile {
namespace {

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
    TextKey{"device_name", &GpuFile::device_name},
    TextKey{"note", &GpuFile::note},
    TextKey{"base", &GpuFile::base},
};

class Reader : private TomlReader {
 public:
  Reader(std::string_view where, FactKind unsaid) : TomlReader(where), unsaid_(unsaid) {}

  Result<GpuFile> read(const toml::table& root) {
    TRY(read_sources(root));
    for (auto&& [key, node] : root) {
      TRY(read_top(key, node));
    }
    return std::move(file_);
  }

 private:
  Result<void> read_top(const toml::key& key, const toml::node& node) {
    if (key.str() == "sources") return {};
    if (key.str() == "level") return read_levels(node);
    if (key.str() == "base") file_.base_place = place(node.source());
    for (const TextKey& row : kTextKeys) {
      if (row.key != key.str()) continue;
      auto text = TRY(words(node, row.key));
      file_.*row.field = std::move(text);
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
    if (section == "board" && table.contains("host_single_thread") && table.contains("own_host_single_thread")) {
      return error(table.source(),
                   "host_single_thread and own_host_single_thread are ratings of one processor; give one");
    }
    for (auto&& [key, node] : table) {
      if (section == "level" && key.str() == "name") continue;
      const GpuKey* row = find_gpu_key(fmt::format("{}.{}", section, key.str()));
      if (row == nullptr) {
        return unknown(key, fmt::format(" in [{}]", section), gpu_key_names(section));
      }
      auto fact = TRY(read_numbered_fact(node, *row, fmt::format("{}.{}", prefix, key.str())));
      file_.facts.add(std::move(fact));
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
      auto name = TRY(words(name_at->second, "the name of a level"));
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        return error(name_at->second.source(),
                     fmt::format("unknown level '{}'; known: {}", one_line(name), fmt::join(known, ", ")));
      }
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        return error(name_at->second.source(), fmt::format("level {} is given twice", name));
      }
      seen.push_back(name);
      TRY(read_section(*table, "level", "level." + name));
    }
    return {};
  }

  Result<NumberedFact> read_numbered_fact(const toml::node& node, const GpuKey& row, std::string key) {
    const bool own = unsaid_ == FactKind::own;
    const std::size_t kinds = static_cast<std::size_t>(own ? FactKind::own : FactKind::derived) + 1;
    NumberedFact entry;
    entry.fact.key = std::move(key);
    entry.fact.kind = unsaid_;
    if (own) entry.fact.source = fmt::format("given without a source at {}", place(node.source()));
    const auto read = [&](const toml::node& value) { return read_value(value, row, entry); };
    return read_fact(node, example_of(row.unit), kinds, entry.fact, read).map([&] { return std::move(entry); });
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

  FactKind unsaid_;
  GpuFile file_;
};

}  // namespace

Result<GpuFile> read_gpu_file(std::string_view toml, std::string_view where, FactKind unsaid) {
  const auto root = TRY(parse_toml(toml, where, "a GPU file"));
  return Reader(where, unsaid).read(root);
}

}  // namespace rooftile
