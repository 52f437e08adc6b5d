#include "rooftile/report/memory_fit.hpp"

#include <fmt/format.h>

#include "rooftile/report/text.hpp"

namespace rooftile {

std::string used_of(Bytes used, Bytes capacity) {
  // Near the capacity and beyond it a digit more: 276.5 of 276.6 GiB, 24.3 of 24 GiB.
  constexpr double kNear = 0.99;
  const double gib = used.value() / kGiB;
  return fmt::format("{} of {} GiB", used < capacity * kNear ? fmt::format("{:.3g}", gib) : four_digits(gib),
                     four_digits(capacity.value() / kGiB));
}

std::string what_fits(std::optional<std::int64_t> largest_batch) {
  if (!largest_batch) return "";
  return *largest_batch > 0 ? fmt::format(", batch {} does", *largest_batch) : ", nor does one sample";
}

}  // namespace rooftile
