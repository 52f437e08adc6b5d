// Any bytes as a profile: an error, or kernels whose figures can be drawn. The first byte picks the options.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/measure/counters.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"
#include "rooftile/profile/stall_reasons.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  if (size == 0) return 0;
  profile::ProfileOptions options;
  if ((data[0] & 1) != 0) options.compute_capability = "8.0";
  if ((data[0] & 2) != 0) options.decimal_sign = profile::DecimalSign::comma;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto read = profile::read_profile(text, "fuzz", options);
  if (!read) {
    if (!is_one_line_error(read.error())) std::abort();
    return 0;
  }
  if (read->kernels.empty() || read->format.empty()) std::abort();
  for (const profile::Dropped& dropped : read->dropped) {
    if (dropped.reason.empty() || has_control_characters(dropped.reason)) std::abort();
  }
  for (const std::string& note : read->notes) {
    if (note.empty() || has_control_characters(note)) std::abort();
  }
  for (const profile::KernelProfile& kernel : read->kernels) {
    if (kernel.name.empty() || !(kernel.launches >= 1)) std::abort();
    if (kernel.time && !(kernel.time->value() > 0 && std::isfinite(kernel.time->value()))) std::abort();
    for (const auto& [name, value] : kernel.metrics.list()) {
      if (!(value >= 0) || !std::isfinite(value)) std::abort();
    }
    profile::counters(kernel);
    for (const profile::StallShare& stall : profile::stall_shares(kernel)) {
      if (!(stall.share >= 0 && stall.share <= 1)) std::abort();
    }
  }
  const auto joined = measure::join(read->kernels, 3, 2);
  if (!joined && !is_one_line_error(joined.error())) std::abort();
  return 0;
}
