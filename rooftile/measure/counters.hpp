// Counters that a profiler took of the layers, joined to their rows: marker kernels in the profile say which kernels
// belong to which layer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/profile/kernel_profile.hpp"
#include "rooftile/profile/stall_reasons.hpp"

namespace rooftile::measure {

// A kernel whose name holds this marks what follows it as the case of index gridDim.x - 1.
inline constexpr std::string_view kMarkerKernel = "rooftile_case";

// A kernel whose name holds this, and what came before it since the marker, made the case ready: operands are filled,
// earlier passes are run, and one such kernel ends it.
inline constexpr std::string_view kSetupKernel = "rooftile_setup_";

// Sums over the kernels of one run, medians over the runs. Nothing where any of the kernels lacks the metric.
struct CaseCounters {
  double kernel_launches = 0;
  std::optional<double> l1_bytes;  // loads and stores, as docs/validate.md has l1_bytes_measured and the like
  std::optional<double> l2_bytes;
  std::optional<double> dram_bytes;
  std::optional<double> time_s;               // under the profiler, its clocks and caches
  std::vector<profile::StallShare> stalls{};  // weighted by the kernels' times; empty: not known of each

  bool operator==(const CaseCounters&) const = default;
};

struct JoinedCounters {
  std::vector<std::optional<CaseCounters>> cases;  // by index; nothing where the profile has no such case
  std::vector<std::string> notes;                  // what was left out and why, one line each
};

// `kernels` in the order in which they ran. A layer's kernels before its `runs` equal runs (a weight transformed once,
// a search for an algorithm) are left out. Errors: no marker at all.
Result<JoinedCounters> join(const std::vector<profile::KernelProfile>& kernels, std::size_t cases, std::size_t runs);

}  // namespace rooftile::measure
