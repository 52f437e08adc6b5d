// Profiles in: the kernels that a profiler recorded, from whichever of its files.
//
//     const Result<profile::Profile> read = profile::read_profile("not,a,profile\n", "mine.csv");
//     assert(!read);
//     assert(read.error().where == "mine.csv");
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/profile/kernel_profile.hpp"
#include "rooftile/profile/number_format.hpp"

namespace rooftile::profile {

struct ProfileOptions {
  // For files that do not say it: "7.0". Files that do say it count.
  std::string compute_capability{};
  // Of the file's numbers; nothing: found out from them.
  std::optional<DecimalSign> decimal_sign{};
};

// Something in the file that was left out, because it is wrong.
struct Dropped {
  std::size_t line = 0;  // of the file, or the index of the record
  std::string reason;    // one line

  bool operator==(const Dropped&) const = default;
};

// Threads of the host that ran operators: the share of the time from the first to the last event in which they did,
// what they waited for inside an operator included. From 0 to 1.
struct HostUse {
  std::size_t threads = 0;
  double mean = 0, busiest = 0;
};

struct Profile {
  std::string format;                  // "Nsight Compute CSV, page raw"
  std::vector<KernelProfile> kernels;  // in the order in which they ran
  std::vector<Dropped> dropped;        // the first kMostDropped of them
  std::size_t dropped_count = 0;
  std::optional<HostUse> host;     // nothing: the file does not say
  bool predicted = false;          // a timeline of Rooftile's: nothing was measured
  std::string gpu;                 // that a timeline of Rooftile's was predicted for; empty: the file does not say
  std::vector<std::string> notes;  // what a reader of the figures should know, one line each

  static constexpr std::size_t kMostDropped = 1000;
  void drop(std::size_t line, std::string reason);
};

// The kernels of Nsight Compute's CSV (pages raw and details), nvprof's CSV (metrics, GPU trace, summary), a PyTorch
// profiler (Kineto) trace, rocprof's and rocprofv3's CSV, a timeline of Rooftile's own, and Chakra's execution traces;
// the text says which it is (docs/profiles.md), and may be compressed by gzip. Errors: it is none of them, or holds no
// kernel that can be used; `where` names it.
Result<Profile> read_profile(std::string_view text, std::string_view where, const ProfileOptions& options = {});

}  // namespace rooftile::profile
