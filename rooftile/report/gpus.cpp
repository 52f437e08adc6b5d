// The GPU catalogue: a line a GPU, and every number of one GPU with its source.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/facts.hpp"
#include "rooftile/report/facts.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

// "derived" where a number is; "" for a vendor's, which is the usual case.
std::string mark(const Gpu& gpu, const std::string& key) {
  const Fact* fact = find_fact(gpu, key);
  return fact == nullptr || fact->kind == FactKind::vendor ? "" : fmt::format(" {}", name_of(fact->kind).front());
}

}  // namespace

std::string gpus_table(std::span<const Gpu> gpus, std::size_t width) {
  TextTable table({{"id", Align::left, Cut::never},
                   {"architecture"},
                   {"SMs", Align::right},
                   {"clock", Align::right},
                   {"fp32", Align::right},
                   {"L2", Align::right},
                   {"DRAM", Align::right},
                   {"DRAM bandwidth", Align::right}});
  for (const Gpu& gpu : gpus) {
    const MemoryLevel& dram = gpu.level("DRAM");
    table.add({gpu.id, gpu.architecture, grouped(gpu.sm_count), print(gpu.clock), print(gpu.peak(Peak::fp32)),
               print(gpu.level("L2").capacity), print(dram.capacity),
               print(dram.bandwidth) + mark(gpu, "level.DRAM.bandwidth")});
  }
  return table.text(width, "") +
         "\nm: measured, d: derived, s: stated, o: your own file; unmarked: the vendor's.\n"
         "rooftile gpus show ID prints every number with its source.\n";
}

std::string gpus_csv(std::span<const Gpu> gpus) {
  const auto number = [](double value) { return fmt::format("{}", value); };
  std::string text = write_csv_row(std::vector<std::string>{
      "id", "name", "vendor", "architecture", "compute_capability", "sm_count", "clock_hz", "fp32_flops", "l2_bytes",
      "dram_bytes", "dram_bandwidth_bytes_per_s", "dram_bandwidth_kind"});
  for (const Gpu& gpu : gpus) {
    const MemoryLevel& dram = gpu.level("DRAM");
    const Fact* bandwidth = find_fact(gpu, "level.DRAM.bandwidth");
    text += write_csv_row(std::vector<std::string>{
        gpu.id, gpu.name, gpu.vendor, gpu.architecture, gpu.compute_capability, number(gpu.sm_count),
        number(gpu.clock.value()), number(gpu.peak(Peak::fp32).value()), number(gpu.level("L2").capacity.value()),
        number(dram.capacity.value()), number(dram.bandwidth.value()),
        bandwidth == nullptr ? "" : std::string(name_of(bandwidth->kind))});
  }
  return text;
}

std::string gpu_csv(const Gpu& gpu) {
  std::string text = write_csv_row(std::vector<std::string>{"key", "value", "kind", "source", "note"});
  for (const Fact& fact : gpu.facts) {
    text += write_csv_row(
        std::vector<std::string>{fact.key, fact.text, std::string(name_of(fact.kind)), fact.source, fact.note});
  }
  return text;
}

std::string gpu_table(const Gpu& gpu, std::size_t width) {
  std::string text =
      fmt::format("{} ({}), {} {}, {}\n", gpu.name, gpu.id, gpu.vendor, gpu.architecture, gpu.compute_capability);
  if (!gpu.note.empty()) text += fmt::format("  {}\n", wrapped(gpu.note, std::min<std::size_t>(width, 98) - 2, "  "));
  return text + "\n" + facts_text(std::span<const Fact>(gpu.facts), width);
}

std::string gpus_json(std::span<const Gpu> gpus) {
  Json json = Json::array();
  for (const Gpu& gpu : gpus) {
    Json facts = Json::array();
    for (const Fact& fact : gpu.facts) {
      Json entry = {{"key", fact.key}, {"value", fact.text}, {"kind", name_of(fact.kind)}, {"source", fact.source}};
      if (!fact.note.empty()) entry["note"] = fact.note;
      facts.push_back(std::move(entry));
    }
    json.push_back({{"id", gpu.id},
                    {"name", gpu.name},
                    {"vendor", gpu.vendor},
                    {"architecture", gpu.architecture},
                    {"compute_capability", gpu.compute_capability},
                    {"facts", std::move(facts)}});
  }
  return json_text(json);
}

}  // namespace rooftile
