#include "rooftile/measure/counters.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/quantile.hpp"
#include "rooftile/profile/counters.hpp"

namespace rooftile::measure {
namespace {

using profile::KernelProfile;
using Kernels = std::span<const KernelProfile>;

bool is_marker(const KernelProfile& kernel) { return kernel.name.find(kMarkerKernel) != std::string::npos; }

// What runs, behind the last kernel that sets the layer up.
Kernels without_setup(Kernels kernels) {
  const auto last = std::find_if(kernels.rbegin(), kernels.rend(), [](const KernelProfile& kernel) {
    return kernel.name.find(kSetupKernel) != std::string::npos;
  });
  return {last.base(), kernels.end()};
}

// How many kernels a run has, if the last of `kernels` are `runs` runs of the same ones; 0 if they are not.
std::size_t kernels_of_a_run(Kernels kernels, std::size_t runs) {
  for (std::size_t length = kernels.size() / runs; length > 0; --length) {
    const Kernels repeated = kernels.last(length * runs);
    const auto same = [](const KernelProfile& a, const KernelProfile& b) {
      return a.name == b.name && a.grid == b.grid;
    };
    if (std::equal(repeated.begin() + static_cast<std::ptrdiff_t>(length), repeated.end(), repeated.begin(), same))
      return length;
  }
  return 0;
}

// The sum of `quantity` over one run; nothing if a kernel lacks it.
template <class Quantity>
std::optional<double> sum_of(Kernels run, Quantity quantity) {
  double sum = 0;
  for (const KernelProfile& kernel : run) {
    const std::optional<double> value = quantity(kernel);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

template <class Quantity>
std::optional<double> median_of(Kernels repeated, std::size_t length, Quantity quantity) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < repeated.size(); i += length) {
    const auto sum = sum_of(repeated.subspan(i, length), quantity);
    if (!sum) return std::nullopt;
    sums.push_back(*sum);
  }
  return quantile(std::move(sums), 0.5);
}

template <class Quantity>
std::optional<double> value_of(const std::optional<Quantity>& quantity) {
  return quantity ? std::optional<double>(quantity->value()) : std::nullopt;
}

// Each kernel's shares, weighted by its time.
std::vector<profile::StallShare> stalls_of(Kernels kernels) {
  std::vector<profile::StallShare> shares;
  double time = 0;
  for (const KernelProfile& kernel : kernels) {
    const auto own = profile::stall_shares(kernel);
    if (own.empty() || !kernel.time) return {};
    time += kernel.time->value();
    shares.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      shares[i].reason = own[i].reason;
      shares[i].share += own[i].share * kernel.time->value();
    }
  }
  if (!(time > 0)) return {};
  for (profile::StallShare& share : shares) share.share /= time;
  return shares;
}

CaseCounters counters_of(Kernels repeated, std::size_t length) {
  CaseCounters counted;
  counted.kernel_launches = static_cast<double>(length);
  counted.l1_bytes =
      median_of(repeated, length, [](const KernelProfile& k) { return value_of(profile::counters(k).l1); });
  counted.l2_bytes =
      median_of(repeated, length, [](const KernelProfile& k) { return value_of(profile::counters(k).l2); });
  counted.dram_bytes =
      median_of(repeated, length, [](const KernelProfile& k) { return value_of(profile::counters(k).dram); });
  counted.time_s = median_of(repeated, length, [](const KernelProfile& k) { return value_of(k.time); });
  counted.stalls = stalls_of(repeated);
  return counted;
}

// The index that a marker's grid says; nothing if it says none.
std::optional<std::size_t> case_index(const KernelProfile& marker, std::size_t cases) {
  if (!marker.grid || (*marker.grid)[0] < 1) return std::nullopt;
  const auto index = static_cast<std::size_t>((*marker.grid)[0] - 1);
  return index < cases ? std::optional(index) : std::nullopt;
}

}  // namespace

Result<JoinedCounters> join(const std::vector<KernelProfile>& kernels, std::size_t cases, std::size_t runs) {
  JoinedCounters joined;
  joined.cases.resize(cases);
  auto marker = std::find_if(kernels.begin(), kernels.end(), is_marker);
  if (marker == kernels.end()) {
    return fail(ErrorCode::bad_input,
                fmt::format("the profile has no marker kernel '{}'; it is not of a replay of layers", kMarkerKernel));
  }
  while (marker != kernels.end()) {
    const auto next = std::find_if(marker + 1, kernels.end(), is_marker);
    const Kernels own = without_setup(Kernels(marker + 1, next));
    const auto index = case_index(*marker, cases);
    const std::size_t length = runs > 0 ? kernels_of_a_run(own, runs) : 0;
    if (!index) {
      joined.notes.push_back(fmt::format("line {}: a marker that is of none of the {} layers", marker->line, cases));
    } else if (own.empty()) {
      joined.notes.push_back(fmt::format("layer {}: no kernel after its marker", *index));
    } else if (length == 0) {
      joined.notes.push_back(fmt::format("layer {}: its {} kernels from '{}' on are not {} equal runs", *index,
                                         own.size(), one_line(own.front().name, 60), runs));
    } else {
      joined.cases[*index] = counters_of(own.last(length * runs), length);
    }
    marker = next;
  }
  return joined;
}

}  // namespace rooftile::measure
