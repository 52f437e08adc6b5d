#include "rooftile/cost/cost_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/cost/embedded.hpp"

namespace rooftile {
namespace {

// A number of a section with its source: { value = "15.3 MTr/mm2", source = … }. Without a unit: a plain number.
template <class S>
struct CostKey {
  std::string_view name, unit;
  double S::*field;
  double least = 0, most = 0;
};

constexpr std::array kArea = {
    CostKey<AreaCosts>{"lane", "MTr", &AreaCosts::lane_mtr, 0, 1e3},
    CostKey<AreaCosts>{"sm", "MTr", &AreaCosts::sm_mtr, 0, 1e5},
    CostKey<AreaCosts>{"tensor_mac", "MTr", &AreaCosts::tensor_mac_mtr, 0, 1e3},
    CostKey<AreaCosts>{"fixed", "mm2", &AreaCosts::fixed_mm2, 0, 1e4},
    CostKey<AreaCosts>{"array_efficiency", "", &AreaCosts::array_efficiency, 0.01, 1},
    CostKey<AreaCosts>{"pcie_phy", "mm2", &AreaCosts::pcie_phy_mm2, 0, 1e3},
    CostKey<AreaCosts>{"pcie_controller", "MTr", &AreaCosts::pcie_controller_mtr, 0, 1e5},
    CostKey<AreaCosts>{"link_phy", "mm2", &AreaCosts::link_phy_mm2, 0, 1e3},
    CostKey<AreaCosts>{"link_controller", "MTr", &AreaCosts::link_controller_mtr, 0, 1e5},
    CostKey<AreaCosts>{"spare_sms", "", &AreaCosts::spare_sms, 0, 1},
};
constexpr std::array kDie = {
    CostKey<DieCosts>{"wafer_diameter", "mm", &DieCosts::wafer_mm, 25, 1000},
    CostKey<DieCosts>{"reticle", "mm2", &DieCosts::reticle_mm2, 10, 1e5},
    CostKey<DieCosts>{"clustering", "", &DieCosts::clustering, 0.1, 1e6},
};
constexpr std::array kPrice = {
    CostKey<PriceCosts>{"package", "USD", &PriceCosts::package_usd, 0, 1e6},
    CostKey<PriceCosts>{"interposer", "USD/mm2", &PriceCosts::interposer_usd_per_mm2, 0, 1e3},
    CostKey<PriceCosts>{"stack_area", "mm2", &PriceCosts::stack_mm2, 0, 1e4},
    CostKey<PriceCosts>{"board", "USD", &PriceCosts::board_usd, 0, 1e6},
    CostKey<PriceCosts>{"board_power", "USD/W", &PriceCosts::board_usd_per_watt, 0, 1e3},
};
constexpr std::array kEnergy = {
    CostKey<EnergyCosts>{"mac", "pJ", &EnergyCosts::mac_pj, 0, 1e6},
    CostKey<EnergyCosts>{"tensor_mac", "pJ", &EnergyCosts::tensor_mac_pj, 0, 1e6},
    CostKey<EnergyCosts>{"reference_process", "nm", &EnergyCosts::reference_nm, 0.1, 1e4},
    CostKey<EnergyCosts>{"reference_clock", "GHz", &EnergyCosts::reference_ghz, 1e-3, 1e2},
    CostKey<EnergyCosts>{"process_exponent", "", &EnergyCosts::process_exponent, 0, 5},
    CostKey<EnergyCosts>{"l1_byte", "pJ", &EnergyCosts::l1_byte_pj, 0, 1e6},
    CostKey<EnergyCosts>{"l2_byte", "pJ", &EnergyCosts::l2_byte_pj, 0, 1e6},
    CostKey<EnergyCosts>{"on_chip_process", "nm", &EnergyCosts::on_chip_nm, 0.1, 1e4},
    CostKey<EnergyCosts>{"idle", "W", &EnergyCosts::idle_w, 0, 1e5},
    CostKey<EnergyCosts>{"idle_share", "", &EnergyCosts::idle_share, 0, 0.99},
};
constexpr std::array kProcess = {
    CostKey<ProcessCosts>{"logic_density", "MTr/mm2", &ProcessCosts::logic_mtr_per_mm2, 1e-3, 1e5},
    CostKey<ProcessCosts>{"sram_cell", "um2", &ProcessCosts::sram_cell_um2, 1e-5, 1e3},
    CostKey<ProcessCosts>{"wafer", "USD", &ProcessCosts::wafer_usd, 1, 1e7},
    CostKey<ProcessCosts>{"defects", "/cm2", &ProcessCosts::defects_per_cm2, 0, 100},
};
constexpr std::array kMemory = {
    CostKey<MemoryCosts>{"channel_bandwidth", "GB/s", &MemoryCosts::channel_gb_per_s, 0.01, 1e6},
    CostKey<MemoryCosts>{"phy", "mm2", &MemoryCosts::phy_mm2, 0, 1e3},
    CostKey<MemoryCosts>{"controller", "MTr", &MemoryCosts::controller_mtr, 0, 1e5},
    CostKey<MemoryCosts>{"price", "USD/GB", &MemoryCosts::usd_per_gb, 0, 1e5},
    CostKey<MemoryCosts>{"energy", "pJ/bit", &MemoryCosts::pj_per_bit, 0, 1e4},
};
constexpr std::array kChip = {
    CostKey<ChipCosts>{"die", "mm2", &ChipCosts::die_mm2, 1, 1e5},
};
// Counts of a chip, plain numbers under one source.
constexpr std::array kChipCounts = {
    CostKey<ChipCosts>{"process", "", &ChipCosts::process_nm, 0.1, 1e4},
    CostKey<ChipCosts>{"sms", "", &ChipCosts::sms, 1, 1e5},
    CostKey<ChipCosts>{"lanes", "", &ChipCosts::lanes, 1, 1e6},
    CostKey<ChipCosts>{"tensor_macs", "", &ChipCosts::tensor_macs, 0, 1e7},
    CostKey<ChipCosts>{"channels", "", &ChipCosts::channels, 1, 1e4},
    CostKey<ChipCosts>{"links", "", &ChipCosts::links, 0, 1e4},
};

template <class Keys>
auto find_key(const Keys& keys, std::string_view name) {
  return std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.name == name; });
}

template <class Keys>
std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  for (const auto& key : keys) names.emplace_back(key.name);
  return names;
}

class Reader : private TomlReader {
 public:
  Reader(CostTable table, std::string_view where) : TomlReader(where), table_(std::move(table)) {}

  Result<CostTable> read(const toml::table& root) {
    TRY(read_sources(root));
    const std::vector<std::string> known = {"sources", "area", "die", "price", "energy", "process", "memory", "chip"};
    for (auto&& [key, node] : root) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) return unknown(key, "", known);
    }
    // Chips name processes and memories; the order of the file does not matter.
    for (const std::string& name : known) {
      const auto found = root.find(name);
      if (found == root.end() || name == "sources") continue;
      TRY(read_top(name, found->second));
    }
    return std::move(table_);
  }

 private:
  Result<void> read_top(std::string_view name, const toml::node& node) {
    if (name == "area") return read_section(node, name, kArea, table_.area);
    if (name == "die") return read_section(node, name, kDie, table_.die);
    if (name == "price") return read_section(node, name, kPrice, table_.price);
    if (name == "energy") return read_section(node, name, kEnergy, table_.energy);
    const auto* rows = node.as_array();
    if (rows == nullptr) return error(node.source(), fmt::format("'{0}' is written [[{0}]], with two brackets", name));
    for (const toml::node& element : *rows) {
      const auto* row = element.as_table();
      if (row == nullptr) return error(element.source(), fmt::format("'{0}' is written [[{0}]]", name));
      auto done = name == "process" ? read_process(*row) : (name == "memory" ? read_memory(*row) : read_chip(*row));
      if (!done) return done;
    }
    return {};
  }

  template <class Keys, class S>
  Result<void> read_section(const toml::node& node, std::string_view section, const Keys& keys, S& values) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node.source(), fmt::format("'{0}' must be a table: [{0}]", section));
    for (auto&& [key, entry] : *table) {
      const auto row = find_key(keys, key.str());
      if (row == keys.end()) return unknown(key, fmt::format(" in [{}]", section), names_of(keys));
      TRY(read_number(entry, *row, section, values));
    }
    return {};
  }

  Result<void> read_process(const toml::table& table) {
    const auto nm = TRY(plain(table, "nm", 0.1, 1e4));
    ProcessCosts fresh;
    fresh.nm = nm;
    auto found = std::find_if(table_.processes.begin(), table_.processes.end(),
                              [&](const ProcessCosts& row) { return row.nm == nm; });
    ProcessCosts& row = found == table_.processes.end() ? table_.processes.emplace_back(std::move(fresh)) : *found;
    TRY(read_text(table, "name", row.name));
    return read_row(table, "process", fmt::format("process.{:g}", row.nm), kProcess, row, {"nm", "name"});
  }

  Result<void> read_memory(const toml::table& table) {
    MemoryCosts fresh;
    TRY(read_text(table, "type", fresh.type));
    auto found = std::find_if(table_.memories.begin(), table_.memories.end(),
                              [&](const MemoryCosts& row) { return row.type == fresh.type; });
    MemoryCosts& row = found == table_.memories.end() ? table_.memories.emplace_back(std::move(fresh)) : *found;
    TRY(read_flag(table, "stacked", row.stacked));
    return read_row(table, "memory", "memory." + row.type, kMemory, row, {"type", "stacked"});
  }

  Result<void> read_chip(const toml::table& table) {
    ChipCosts fresh;
    TRY(read_text(table, "name", fresh.name));
    auto found = std::find_if(table_.chips.begin(), table_.chips.end(),
                              [&](const ChipCosts& row) { return row.name == fresh.name; });
    ChipCosts& row = found == table_.chips.end() ? table_.chips.emplace_back(std::move(fresh)) : *found;
    TRY(read_text(table, "generation", row.generation));
    TRY(read_text(table, "memory", row.memory));
    TRY(read_flag(table, "fit", row.fit));
    TRY(read_bytes(table, "sm_sram", row.sm_sram));
    TRY(read_bytes(table, "l2", row.l2));
    TRY(read_ids(table, row.gpus));
    for (const auto& count : kChipCounts) {
      if (table.find(count.name) == table.end() && !std::isnan(row.*count.field)) continue;
      const auto number = TRY(plain(table, count.name, count.least, count.most));
      row.*count.field = number;
    }
    TRY(read_counts_source(table, row));
    std::vector<std::string> others = {"name", "generation", "memory", "fit", "sm_sram", "l2", "gpus", "counts"};
    for (const auto& count : kChipCounts) others.emplace_back(count.name);
    if (table_.memory(row.memory) == nullptr) {
      return error(table.source(), fmt::format("no [[memory]] has the type '{}'", one_line(row.memory)));
    }
    if (table_.process(row.process_nm) == nullptr) {
      return error(table.source(), fmt::format("no [[process]] has nm = {:g}", row.process_nm));
    }
    return read_row(table, "chip", "chip." + row.name, kChip, row, others);
  }

  // counts = "key": where the counts of a chip come from.
  Result<void> read_counts_source(const toml::table& table, const ChipCosts& chip) {
    const auto found = table.find("counts");
    if (found == table.end()) return {};
    CostFact fact;
    fact.key = fmt::format("chip.{}.counts", chip.name);
    fact.text = fmt::format("{:g} SMs, {:g} channels", chip.sms, chip.channels);
    fact.kind = CostKind::vendor;
    auto source = TRY(source_of(found->second));
    fact.source = std::move(source);
    keep(std::move(fact));
    return {};
  }

  void keep(CostFact fact) {
    const auto old = std::find_if(table_.facts.begin(), table_.facts.end(),
                                  [&](const CostFact& other) { return other.key == fact.key; });
    if (old == table_.facts.end()) {
      table_.facts.push_back(std::move(fact));
    } else {
      *old = std::move(fact);
    }
  }

  // The numbers of a row; `others` are its keys that are none. A new row must have them all.
  template <class Keys, class S>
  Result<void> read_row(const toml::table& table, std::string_view section, const std::string& prefix, const Keys& keys,
                        S& row, const std::vector<std::string>& others) {
    for (auto&& [key, entry] : table) {
      if (std::find(others.begin(), others.end(), key.str()) != others.end()) continue;
      const auto found = find_key(keys, key.str());
      if (found == keys.end()) {
        std::vector<std::string> known = names_of(keys);
        known.insert(known.end(), others.begin(), others.end());
        return unknown(key, fmt::format(" in [[{}]]", section), known);
      }
      TRY(read_number(entry, *found, prefix, row));
    }
    for (const auto& key : keys) {
      if (std::isnan(row.*key.field)) {
        return error(table.source(), fmt::format("a new [[{}]] needs {}", section, key.name));
      }
    }
    return {};
  }

  Result<void> read_text(const toml::table& table, std::string_view name, std::string& value) {
    const auto found = table.find(name);
    if (found == table.end()) {
      if (!value.empty()) return {};
      return error(table.source(), fmt::format("{} is missing", name));
    }
    auto text = TRY(words(found->second, name));
    value = std::move(text);
    return {};
  }

  Result<void> read_flag(const toml::table& table, std::string_view name, bool& value) {
    const auto found = table.find(name);
    if (found == table.end()) return {};
    const auto flag = found->second.value<bool>();
    if (!found->second.is_boolean() || !flag) {
      return error(found->second.source(), fmt::format("{} must be true or false", name));
    }
    value = *flag;
    return {};
  }

  Result<void> read_bytes(const toml::table& table, std::string_view name, Bytes& value) {
    const auto found = table.find(name);
    if (found == table.end()) {
      if (value > Bytes(0)) return {};
      return error(table.source(), fmt::format("{} is missing", name));
    }
    const auto text = TRY(words(found->second, name));
    const auto bytes = parse<Bytes>(text);
    if (!bytes) return error(found->second.source(), fmt::format("{}: {}", name, one_line(bytes.error().message)));
    value = *bytes;
    return {};
  }

  Result<void> read_ids(const toml::table& table, std::vector<std::string>& ids) {
    const auto found = table.find("gpus");
    if (found == table.end()) return {};
    const auto* list = found->second.as_array();
    if (list == nullptr) return error(found->second.source(), "gpus must be a list: [\"titan-xp\"]");
    ids.clear();
    for (const toml::node& element : *list) {
      auto id = TRY(words(element, "an id of gpus"));
      ids.push_back(std::move(id));
    }
    return {};
  }

  Result<double> plain(const toml::table& table, std::string_view name, double least, double most) const {
    const auto found = table.find(name);
    if (found == table.end()) return error(table.source(), fmt::format("{} is missing", name));
    const auto number = found->second.value<double>();
    if (!found->second.is_number() || !number) {
      return error(found->second.source(), fmt::format("{} must be a plain number", name));
    }
    if (!(*number >= least && *number <= most)) {
      return error(found->second.source(),
                   fmt::format("{} = {:g} is out of range: {:g} to {:g}", name, *number, least, most));
    }
    return *number;
  }

  template <class S>
  Result<void> read_number(const toml::node& node, const CostKey<S>& key, std::string_view prefix, S& values) {
    CostFact fact;
    fact.key = fmt::format("{}.{}", prefix, key.name);
    double number = 0;
    const auto read = [&](const toml::node& part) -> Result<void> {
      const auto value = TRY(read_value(part, key.unit, fact));
      number = value;
      if (number >= key.least && number <= key.most) return {};
      return error(part.source(), fmt::format("{} = {} is out of range: {:g} to {:g}", fact.key, one_line(fact.text),
                                              key.least, key.most));
    };
    TRY(read_fact(node, example(key.unit), kCostKinds, fact, read));
    if (fact.kind == CostKind::assumed && fact.note.empty()) {
      return error(node.source(), fmt::format("{} is assumed: its note must say why, and the range", fact.key));
    }
    values.*key.field = number;
    keep(std::move(fact));
    return {};
  }

  static std::string example(std::string_view unit) {
    return unit.empty() ? std::string("0.5") : fmt::format("\"12.5 {}\"", unit);
  }

  Result<double> read_value(const toml::node& node, std::string_view unit, CostFact& fact) const {
    const auto wrong = [&] {
      return error(node.source(),
                   fmt::format("{} must be a number{}, as in {}", fact.key,
                               unit.empty() ? "" : fmt::format(" in {} in quotes", unit), example(unit)));
    };
    if (unit.empty()) {
      const auto number = node.value<double>();
      if (!node.is_number() || !number) return wrong();
      fact.text = fmt::format("{:g}", *number);
      return *number;
    }
    const auto* text = node.as_string();
    if (text == nullptr) return wrong();
    fact.text = text->get();
    std::string_view rest = fact.text;
    const auto number = take_number<double>(rest);
    if (!number) return wrong();
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest != unit) return wrong();
    return *number;
  }

  CostTable table_;
};

template <class Keys, class S>
bool whole(const Keys& keys, const S& values) {
  return std::none_of(keys.begin(), keys.end(), [&](const auto& key) { return std::isnan(values.*key.field); });
}

}  // namespace

Result<CostTable> with_costs(CostTable table, std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a cost file"));
  if (root.empty()) return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  auto read = Reader(std::move(table), where).read(root);
  if (!read) return read;
  if (!whole(kArea, read->area) || !whole(kDie, read->die) || !whole(kPrice, read->price) ||
      !whole(kEnergy, read->energy)) {
    return fail(ErrorCode::bad_input, "a number of [area], [die], [price] or [energy] is missing", std::string(where));
  }
  return read;
}

Result<CostTable> load_costs(const std::string& path) {
  Result<CostTable> table = CostTable{};
  for (const EmbeddedText& file : embedded_costs()) {
    table = with_costs(std::move(*table), file.text, file.path);
    if (!table) return table;
  }
  if (path.empty()) return table;
  const auto text = TRY(read_text_file(path, kMaxTomlFile));
  return with_costs(std::move(*table), text, path);
}

}  // namespace rooftile
