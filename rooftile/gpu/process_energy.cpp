#include "rooftile/gpu/process_energy.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/gpu/embedded_processes.hpp"

namespace rooftile {
namespace {

class EnergyReader : TomlReader {
 public:
  using TomlReader::TomlReader;

  Result<std::vector<ProcessEnergy>> read(const toml::table& root) {
    TRY(read_sources(root));
    std::vector<ProcessEnergy> all;
    for (auto&& [key, node] : root) {
      if (key.str() == "process") {
        const auto* rows = node.as_array();
        if (rows == nullptr) return error(node.source(), "'process' must be a list of tables: [[process]]");
        for (const toml::node& row : *rows) all.push_back(TRY(read_row(row)));
      } else if (key.str() != "sources") {
        return unknown(key, "", {"sources", "process"});
      }
    }
    const auto by_size = [](const ProcessEnergy& a, const ProcessEnergy& b) { return a.nm >= b.nm; };
    if (all.size() < 2 || std::adjacent_find(all.begin(), all.end(), by_size) != all.end()) {
      return error(root.source(), "needs [[process]] at least twice, the smallest nm first");
    }
    const auto is_reference = [](const ProcessEnergy& one) { return one.nm == kReferenceProcess && one.share == 1; };
    if (std::none_of(all.begin(), all.end(), is_reference)) {
      return error(root.source(), fmt::format("needs a [[process]] with nm = {} and energy = 1", kReferenceProcess));
    }
    return all;
  }

 private:
  Result<ProcessEnergy> read_row(const toml::node& node) {
    const toml::table* row = node.as_table();
    if (row == nullptr) return error(node.source(), "each [[process]] has nm, energy and source");
    for (auto&& [key, part] : *row) {
      if (key.str() != "nm" && key.str() != "energy" && key.str() != "source") {
        return unknown(key, " of [[process]]", {"nm", "energy", "source"});
      }
    }
    const auto nm = (*row)["nm"].value<double>(), share = (*row)["energy"].value<double>();
    const auto source = (*row)["source"];
    if (!nm || !share || !source || !(*nm > 0) || !(*share > 0)) {
      return error(row->source(), "each [[process]] has nm and energy, above 0, and source");
    }
    return ProcessEnergy{*nm, *share, TRY(source_of(*source.node()))};
  }
};

}  // namespace

Result<std::vector<ProcessEnergy>> parse_process_energies(std::string_view toml, std::string_view where) {
  const toml::table root = TRY(parse_toml(toml, where, "a table of processes"));
  return EnergyReader(where).read(root);
}

std::span<const ProcessEnergy> process_energies() {
  static const std::vector<ProcessEnergy> all = [] {
    const EmbeddedText& file = embedded_processes().front();
    auto read = parse_process_energies(file.text, file.path);
    assert(read);
    return std::move(*read);
  }();
  return all;
}

double process_energy(double nm) {
  const std::span<const ProcessEnergy> all = process_energies();
  const auto next =
      std::find_if(all.begin() + 1, all.end() - 1, [&](const ProcessEnergy& one) { return nm <= one.nm; });
  const ProcessEnergy &low = *(next - 1), &high = *next;
  return low.share * std::pow(nm / low.nm, std::log(high.share / low.share) / std::log(high.nm / low.nm));
}

}  // namespace rooftile
