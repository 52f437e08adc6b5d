#include "rooftile/explore/fingerprint.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kLongestShown = 60;

// Itself where a person can read it, else its hash.
std::string shown(const std::string& text) {
  return text.size() <= kLongestShown ? text : fmt::format("{:016x}", checksum(text));
}

std::string hash_of(const ByteWriter& bytes) { return fmt::format("{:016x}", checksum(bytes.bytes())); }

std::string axes_of(const DesignSpace& space) {
  ByteWriter bytes;
  for (const DesignAxis& axis : space.axes) {
    bytes.text(name_of(axis.parameter));
    bytes.u64(axis.range ? 1 : 0);
    bytes.u64(static_cast<std::uint64_t>(axis.spacing));
    bytes.u64(axis.values.size());
    for (const double value : axis.values) bytes.f64(value);
  }
  return hash_of(bytes);
}

std::string sampling_of(const DesignSpace& space) {
  switch (space.sampling) {
    case Sampling::grid:
      return "grid";
    case Sampling::random:
      return fmt::format("random, {} samples, seed {}", space.samples, space.seed);
    case Sampling::sobol:
      return fmt::format("sobol, {} samples, seed {}", space.samples, space.seed);
  }
  return {};
}

std::string workloads_of(const DesignSpace& space, const Evaluator& evaluator) {
  ByteWriter bytes;
  for (const WorkloadChoice& choice : space.workloads) {
    bytes.text(choice.model);
    bytes.u64(static_cast<std::uint64_t>(choice.batch_size.value_or(0)));
    bytes.f64(choice.weight);
    bytes.u64(choice.convolutions_only ? 1 : 0);
    bytes.u64(static_cast<std::uint64_t>(choice.phase));
  }
  for (const LayerColumn& layer : evaluator.layers()) {
    bytes.text(layer.workload);
    bytes.text(layer.name);
    bytes.text(layer.op);
    bytes.f64(layer.count);
    bytes.f64(layer.weight);
  }
  return hash_of(bytes);
}

std::string kept_of(const DesignSpace& space, const ResultOptions& options, bool costs) {
  std::vector<std::string> pareto;
  for (const auto key : options.pareto) pareto.emplace_back(name_of(key));
  std::string text = fmt::format("--best {} --rank-by {}", options.best, name_of(options.rank_by));
  if (!pareto.empty()) text += fmt::format(" --pareto {}", fmt::join(pareto, ","));
  if (options.heat_map) {
    text += fmt::format(" --heat-map {},{}", name_of(space.axes[options.heat_map->first].parameter),
                        name_of(space.axes[options.heat_map->second].parameter));
  }
  if (costs) text += ", with costs";
  return text;
}

// What designs of the space come to, to the bit, whether or not a constraint excludes them: the first, the last and
// some between. It depends on all that is not named: a GPU file, a model file, a calibration, the mathematics of a
// processor.
std::string outcomes_of(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options) {
  constexpr std::uint64_t kProbes = 5;
  auto evaluation = DesignEvaluation::make(evaluator, space.base, {}, options.costs);
  if (!evaluation) return {};
  ByteWriter bytes;
  std::vector<DesignPoint> probes = {design_of(space.base)};
  const std::uint64_t last = space.size() - 1;
  for (std::uint64_t p = 0; p + 1 < kProbes; ++p) probes.push_back(design_at(space, last / (kProbes - 1) * p));
  probes.push_back(design_at(space, last));
  for (const DesignPoint& probe : probes) {
    for (const double value : probe) bytes.f64(value);
    const DesignOutcome outcome = evaluate_one(*evaluation, probe);
    bytes.u64(static_cast<std::uint64_t>(outcome.unfit));
    bytes.f64(outcome.time);
    for (const double share : outcome.shares) bytes.f64(share);
    for (const double cost : outcome.costs) bytes.f64(cost);
    for (const double time : outcome.layers) bytes.f64(time);
  }
  return hash_of(bytes);
}

}  // namespace

void Fingerprint::write(ByteWriter& bytes) const {
  bytes.u64(parts.size());
  for (const Part& part : parts) {
    bytes.text(part.name);
    bytes.text(part.value);
  }
}

Fingerprint Fingerprint::read(ByteReader& bytes) {
  constexpr std::size_t kLeastBytes = 16;
  Fingerprint result;
  const std::size_t count = bytes.count(kLeastBytes);
  for (std::size_t i = 0; i < count && bytes.ok(); ++i) {
    Part part;
    part.name = bytes.text();
    part.value = bytes.text();
    result.parts.push_back(std::move(part));
  }
  return result;
}

std::optional<std::string> difference(const Fingerprint& here, const Fingerprint& there) {
  for (const Fingerprint::Part& part : here.parts) {
    const auto other = std::find_if(there.parts.begin(), there.parts.end(),
                                    [&](const Fingerprint::Part& p) { return p.name == part.name; });
    if (other != there.parts.end() && other->value == part.value) continue;
    if (other == there.parts.end()) return fmt::format("no {}", part.name);
    const std::string text = fmt::format("different {}", part.name);
    const auto is_hash = [](const std::string& value) {
      constexpr std::size_t kHashDigits = 16;
      return value.size() == kHashDigits && value.find_first_not_of("0123456789abcdef") == std::string::npos;
    };
    if (is_hash(part.value) || is_hash(other->value)) return text;
    return fmt::format("{} ({}, not {})", text, one_line(other->value), one_line(part.value));
  }
  if (here != there) return "other parts";
  return std::nullopt;
}

Fingerprint fingerprint_of(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options,
                           std::string_view version, std::string_view method) {
  return {{{"program version", std::string(version)},
           {"GPU", shown(space.base.id)},
           {"axes", axes_of(space)},
           {"sampling", shown(sampling_of(space))},
           {"constraints", shown(fmt::format("{}", fmt::join(space.constraints, "; ")))},
           {"method", shown(std::string(method))},
           {"workloads", workloads_of(space, evaluator)},
           {"results to keep", shown(kept_of(space, options.results, options.costs != nullptr))},
           {"times and costs of designs", outcomes_of(space, evaluator, options)}}};
}

}  // namespace rooftile
