#include "rooftile/roofline/ceilings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/gpu/gpu_file.hpp"
#include "rooftile/gpu/gpu_keys.hpp"
#include "rooftile/roofline/embedded.hpp"

namespace rooftile::roofline {
namespace {

std::string_view name_of(const EmbeddedText& file) {
  return file.path.substr(0, file.path.size() - std::string_view(".toml").size());
}

double number(const FactTable& facts, std::string_view key) {
  const NumberedFact* found = facts.find(key);
  return found == nullptr ? 0 : found->number;
}

}  // namespace

std::vector<std::string> ceilings_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& file : embedded_ceilings()) names.emplace_back(name_of(file));
  std::sort(names.begin(), names.end());
  return names;
}

Result<Roof> parse_ceilings(std::string_view toml, std::string_view where, Seconds default_overhead) {
  const auto file = TRY(read_gpu_file(toml, where, FactKind::own));
  const FactTable& facts = file.facts;
  const auto error = [&](std::string message) {
    return fail(ErrorCode::bad_input, std::move(message), std::string(where));
  };
  if (!file.base.empty()) return error("ceilings are measured and take none from a base");
  Roof roof;
  roof.name = file.name.empty() ? file.id : file.name;
  bool any_peak = false;
  for (std::size_t i = 0; i < kPeaks; ++i) {
    roof.peaks[i] = FlopsPerSecond(number(facts, fmt::format("peak.{}", name_of(static_cast<Peak>(i)))));
    any_peak = any_peak || roof.peaks[i] > FlopsPerSecond(0);
  }
  if (!any_peak) return error("no ceiling of arithmetic; write [peak] with fp32 = { value = \"15 TFLOP/s\", … }");
  for (const LevelName& level : kLevelNames) {
    const double bandwidth = number(facts, fmt::format("level.{}.bandwidth", level.name));
    if (bandwidth <= 0) continue;
    const double instances = level.per_sm ? number(facts, "core.sm_count") : 1;
    if (instances <= 0) return error("the bandwidth of the L1 is that of one SM and needs core.sm_count");
    roof.levels.push_back({std::string(level.name), BytesPerSecond(bandwidth * instances)});
  }
  if (roof.levels.empty()) return error("no bandwidth; write [[level]] with name = \"DRAM\" and bandwidth = { … }");
  const NumberedFact* overhead = facts.find("launch.overhead");
  roof.launch_overhead = overhead == nullptr ? default_overhead : Seconds(overhead->number);
  for (const NumberedFact& entry : facts.entries()) {
    if (is_ceiling(entry.fact)) roof.sources.push_back(entry.fact);
  }
  return roof;
}

Result<Roof> find_ceilings(const std::string& selector, Seconds default_overhead) {
  if (selector.ends_with(".toml")) {
    const auto text = TRY(read_text_file(selector));
    return parse_ceilings(text, selector, default_overhead);
  }
  for (const EmbeddedText& file : embedded_ceilings()) {
    if (name_of(file) == selector) return parse_ceilings(file.text, selector, default_overhead);
  }
  const auto names = ceilings_names();
  return fail(
      ErrorCode::not_found,
      fmt::format("unknown ceilings '{}'{}, or a path ending in .toml", one_line(selector), one_of(selector, names)),
      "--ceilings");
}

}  // namespace rooftile::roofline
