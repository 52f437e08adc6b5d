#include "rooftile/workload/phase.hpp"

#include <array>

namespace rooftile {
namespace {

constexpr std::array kPhases = {Phase::fwd, Phase::bwd_data, Phase::bwd_weight,
                                Phase::bwd, Phase::fwd_bwd,  Phase::step};
// Forward and the gradients; every phase is a part of it.
constexpr std::array kAll = {Pass::fwd, Pass::bwd_data, Pass::bwd_weight};

}  // namespace

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::fwd:
    case Phase::bwd_data:
    case Phase::bwd_weight:
      return name_of(passes_of(phase).front());
    case Phase::bwd:
      return "bwd";
    case Phase::fwd_bwd:
      return "fwd_bwd";
    case Phase::step:
      return "step";
  }
  return "";
}

std::string_view name_of_pass(Phase phase) {
  if (phase == Phase::fwd) return "inference";
  return phase == Phase::step ? "training" : name_of(phase);
}

std::optional<Phase> parse_phase(std::string_view text) {
  for (const Phase phase : kPhases) {
    if (name_of(phase) == text) return phase;
  }
  if (text == "forward" || text == "inference") return Phase::fwd;
  if (text == "backward") return Phase::bwd;
  if (text == "training" || text == "train") return Phase::step;
  return std::nullopt;
}

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (const Phase phase : kPhases) names.emplace_back(name_of(phase));
  names.insert(names.end(), {"inference", "training"});
  return names;
}

std::span<const Pass> passes_of(Phase phase) {
  const std::span<const Pass> all = kAll;
  switch (phase) {
    case Phase::fwd:
      return all.first(1);
    case Phase::bwd_data:
      return all.subspan(1, 1);
    case Phase::bwd_weight:
      return all.last(1);
    case Phase::bwd:
      return all.last(2);
    case Phase::fwd_bwd:
    case Phase::step:
      return all;
  }
  return {};
}

}  // namespace rooftile
