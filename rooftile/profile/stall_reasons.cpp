#include "rooftile/profile/stall_reasons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// The metrics of one naming, made once: a profile has a hundred thousand kernels.
struct Metrics {
  std::vector<std::string> needed;               // without one of them there are no shares
  std::vector<std::vector<std::string>> summed;  // by place in stall_reasons()
};

std::vector<Metrics> make_metrics() {
  std::vector<Metrics> all;
  Metrics& nvprof = all.emplace_back();
  for (const std::string_view reason : kCommonReasons) nvprof.needed.push_back(full_name(kNvprof, reason));
  for (const StallReason& reason : stall_reasons()) nvprof.summed.push_back({full_name(kNvprof, reason.name)});
  for (const Naming& naming : kNamings) {
    Metrics& metrics = all.emplace_back();
    for (const std::string_view state : kCommonStates) metrics.needed.push_back(full_name(naming, state));
    for (const StallReason& reason : stall_reasons()) {
      std::vector<std::string>& names = metrics.summed.emplace_back();
      for (const std::string_view state : reason.states) names.push_back(full_name(naming, state));
    }
  }
  return all;
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
  static const std::vector<Metrics> kMetrics = make_metrics();
  const auto has = [&](const std::string& metric) { return kernel.metric(metric).has_value(); };
  const auto metrics = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metrics& one) {
    return std::all_of(one.needed.begin(), one.needed.end(), has);
  });
  if (metrics == kMetrics.end()) return {};
  std::vector<StallShare> shares;
  shares.reserve(stall_reasons().size());
  for (std::size_t i = 0; i < stall_reasons().size(); ++i) {
    double sum = 0;
    for (const std::string& metric : metrics->summed[i]) sum += kernel.metric(metric).value_or(0);
    shares.push_back({std::string(stall_reasons()[i].name), sum});
  }
  return normalised(std::move(shares));
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
