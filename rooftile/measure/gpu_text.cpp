#include "rooftile/measure/gpu_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/fact_unit.hpp"
#include "rooftile/gpu/gpu_keys.hpp"
#include "rooftile/measure/curve.hpp"
#include "rooftile/measure/gpu_facts.hpp"
#include "rooftile/measure/gpu_id.hpp"
#include "rooftile/measure/toml_text.hpp"

namespace rooftile::measure {
namespace {

// Facts of the catalogue that no measurement here replaces.
constexpr std::array<std::string_view, 11> kTakenOver = {
    "core.base_clock",     "core.product_clock", "core.tensor_clock", "core.largest_tile", "board.launch_date",
    "board.tdp",           "board.launch_price", "board.cloud_price", "link.nvlink",       "link.infinity_fabric",
    "link.pcie_generation"};

// The file's text: sections in the order of the key table, sources as they are met.
class Writer {
 public:
  void add(const MeasuredFact& fact) {
    const GpuKey* row = find_gpu_key(table_key(fact.key));
    const std::string number = print_number(row->unit, fact.number);
    std::string text = fmt::format("value = {}, source = {}", is_quantity(row->unit) ? toml_text(number) : number,
                                   toml_text(source(fact.source)));
    text += fmt::format(", kind = \"{}\"", name_of(fact.kind));
    if (!fact.note.empty()) text += fmt::format(", note = {}", toml_text(fact.note));
    lines_[fact.key] = text;
  }

  // As the catalogue has it.
  void add(const Fact& fact) {
    const GpuKey* row = find_gpu_key(fact.key);
    std::string text = fmt::format("value = {}, source = {}", is_quantity(row->unit) ? toml_text(fact.text) : fact.text,
                                   toml_text(source("the catalogue's: " + fact.source)));
    text += fmt::format(", kind = \"{}\"", name_of(fact.kind));
    if (!fact.note.empty()) text += fmt::format(", note = {}", toml_text(fact.note));
    lines_[fact.key] = text;
  }

  bool has(const std::string& key) const { return lines_.count(key) > 0; }

  std::string sources() const {
    std::string text = "\n[sources]\n";
    for (std::size_t i = 0; i < sources_.size(); ++i) text += fmt::format("s{} = {}\n", i + 1, toml_text(sources_[i]));
    return text;
  }

  std::string sections() const {
    std::string text;
    for (const std::string& section : gpu_sections()) {
      if (section != "level") {
        text += lines(section, section, fmt::format("[{}]\n", section));
        continue;
      }
      for (const LevelName& level : kLevelNames) {
        text +=
            lines(section, fmt::format("level.{}", level.name), fmt::format("[[level]]\nname = \"{}\"\n", level.name));
      }
    }
    return text;
  }

 private:
  // "level.L2.latency" -> "level.latency"
  static std::string table_key(const std::string& key) {
    const std::size_t first = key.find('.'), last = key.rfind('.');
    return key.substr(0, first) + key.substr(last);
  }

  std::string lines(std::string_view section, std::string_view prefix, std::string_view heading) const {
    std::string text;
    for (const std::string& name : gpu_key_names(section)) {
      const auto line = lines_.find(fmt::format("{}.{}", prefix, name));
      if (line != lines_.end()) text += fmt::format("{} = {{ {} }}\n", name, line->second);
    }
    return text.empty() ? text : fmt::format("\n{}{}", heading, text);
  }

  // The key of a source, which is added where it is new.
  std::string source(const std::string& text) {
    const auto found = std::find(sources_.begin(), sources_.end(), text);
    const auto index = found - sources_.begin();
    if (found == sources_.end()) sources_.push_back(text);
    return fmt::format("s{}", index + 1);
  }

  std::map<std::string, std::string> lines_;  // of a fact, by its key
  std::vector<std::string> sources_;
};

}  // namespace

Result<std::string> gpu_toml(const Device& device, const std::vector<Point>& points, const GpuTextOptions& options) {
  const std::string id = options.id.empty() ? gpu_id(device.name) : options.id;
  Writer writer;
  for (const MeasuredFact& fact : gpu_facts(device, points, options.version)) writer.add(fact);
  if (const auto known = find_gpu(id); known && known->id == id) {
    for (const Fact& fact : known->facts) {
      const bool taken = std::find(kTakenOver.begin(), kTakenOver.end(), fact.key) != kTakenOver.end();
      if (taken && fact.kind != FactKind::derived && !writer.has(fact.key)) writer.add(fact);
    }
  }
  std::string text = fmt::format(
      "id = {}\nname = {}\nvendor = \"nvidia\"\narchitecture = {}\ncompute_capability = {}\nnote = {}\n", toml_text(id),
      toml_text(device.name), toml_text(architecture_of(device.name, device.compute_capability)),
      toml_text(device.compute_capability),
      toml_text(fmt::format("Measured with rooftile-measure {} on {}; driver {}, CUDA {}, ECC {}.", options.version,
                            device.date, device.driver, device.cuda, device.ecc ? "on" : "off")));
  text += writer.sources() + writer.sections();
  // A text that is empty is none: an architecture that is not known.
  for (const std::string_view empty : {"architecture = \"\"\n", "compute_capability = \"\"\n"}) {
    if (const std::size_t at = text.find(empty); at != std::string::npos) text.erase(at, empty.size());
  }
  TRY(parse_gpu(text, id));
  return text;
}

}  // namespace rooftile::measure
