// Why warps did not issue, under one vocabulary: nvprof's stall reasons, to which Nsight Compute's warp states map. The
// mapping is one of meaning; the two tools do not count alike.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/profile/kernel_profile.hpp"

namespace rooftile::profile {

struct StallShare {
  std::string reason;  // "exec_dependency", …, a name of stall_reasons()
  double share = 0;    // of all stalls of the kernel; the shares add up to 1

  bool operator==(const StallShare&) const = default;
};

// nvprof's name without "stall_", and the warp states of Nsight Compute that fall under it.
struct StallReason {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string_view> states;
};
std::span<const StallReason> stall_reasons();

// In the order of stall_reasons(); empty where the profile lacks any of the common states, for shares of a part of
// them would mislead. Takes nvprof's `stall_*` and, of Nsight Compute, per_warp_active.pct, per_issue_active.ratio and
// pcsamp.
std::vector<StallShare> stall_shares(const KernelProfile& kernel);

// What to ask `ncu --metrics` for.
std::vector<std::string> ncu_stall_metrics();

}  // namespace rooftile::profile
