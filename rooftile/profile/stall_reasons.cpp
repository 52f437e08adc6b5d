#include "rooftile/profile/stall_reasons.hpp"

#include <array>
#include <cmath>
#include <optional>

namespace rooftile::profile {
namespace {

// How Nsight Compute names the metric of a warp state: what stands before and after the state.
struct Naming {
  std::string_view before;
  std::string_view after;
};
constexpr std::array<Naming, 3> kNamings = {{
    {"smsp__warp_issue_stalled_", "_per_warp_active.pct"},
    {"smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"},
    {"smsp__pcsamp_warps_issue_stalled_", ""},
}};
constexpr Naming kNvprof = {"stall_", ""};

// States that every GPU since compute capability 7.0 has; without one of them shares mean nothing.
constexpr std::array<std::string_view, 8> kCommonStates = {
    "barrier",      "lg_throttle",    "long_scoreboard",  "math_pipe_throttle",
    "mio_throttle", "no_instruction", "short_scoreboard", "wait"};
constexpr std::array<std::string_view, 4> kCommonReasons = {"exec_dependency", "memory_dependency", "sync",
                                                            "inst_fetch"};

std::string full_name(const Naming& naming, std::string_view state) {
  return std::string(naming.before).append(state).append(naming.after);
}

std::vector<StallShare> normalised(std::vector<StallShare> shares) {
  double sum = 0;
  for (const StallShare& share : shares) sum += share.share;
  if (!(sum > 0) || !std::isfinite(sum)) return {};
  for (StallShare& share : shares) share.share /= sum;
  return shares;
}

template <std::size_t N>
bool has_all(const KernelProfile& kernel, const Naming& naming, const std::array<std::string_view, N>& states) {
  for (const std::string_view state : states) {
    if (!kernel.metric(full_name(naming, state))) return false;
  }
  return true;
}

}  // namespace

std::span<const StallReason> stall_reasons() {
  static const std::vector<StallReason> reasons = {
      {"exec_dependency", "an operand is not ready yet (short operations)", {"short_scoreboard", "wait"}},
      {"memory_dependency", "waiting for global or local memory", {"long_scoreboard"}},
      {"sync", "waiting at a barrier", {"barrier", "membar"}},
      {"pipe_busy", "the compute pipe is busy", {"math_pipe_throttle", "mio_throttle"}},
      {"inst_fetch", "the next instruction is not there", {"no_instruction", "no_instructions"}},
      {"constant_memory_dependency", "an immediate constant was missed", {"imc_miss"}},
      {"texture", "the texture unit is full", {"tex_throttle"}},
      {"memory_throttle", "too many memory operations under way", {"drain", "lg_throttle"}},
      {"not_selected", "ready, but another warp issued", {"not_selected"}},
      {"other", "anything else", {"dispatch_stall", "misc", "branch_resolving", "gmma"}},
      {"sleeping", "asleep", {"sleeping"}},
  };
  return reasons;
}

std::vector<StallShare> stall_shares(const KernelProfile& kernel) {
  std::vector<StallShare> shares;
  if (has_all(kernel, kNvprof, kCommonReasons)) {
    for (const StallReason& reason : stall_reasons()) {
      const auto value = kernel.metric(full_name(kNvprof, reason.name));
      shares.push_back({std::string(reason.name), value.value_or(0)});
    }
    return normalised(std::move(shares));
  }
  for (const Naming& naming : kNamings) {
    if (!has_all(kernel, naming, kCommonStates)) continue;
    for (const StallReason& reason : stall_reasons()) {
      double sum = 0;
      for (const std::string_view state : reason.states) sum += kernel.metric(full_name(naming, state)).value_or(0);
      shares.push_back({std::string(reason.name), sum});
    }
    return normalised(std::move(shares));
  }
  return {};
}

std::vector<std::string> ncu_stall_metrics() {
  constexpr std::array<std::string_view, 17> kStates = {
      "barrier",         "branch_resolving",   "dispatch_stall", "drain",        "imc_miss", "lg_throttle",
      "long_scoreboard", "math_pipe_throttle", "membar",         "mio_throttle", "misc",     "no_instruction",
      "not_selected",    "short_scoreboard",   "sleeping",       "tex_throttle", "wait"};
  std::vector<std::string> metrics;
  for (const std::string_view state : kStates) metrics.push_back(full_name(kNamings[0], state));
  return metrics;
}

}  // namespace rooftile::profile
