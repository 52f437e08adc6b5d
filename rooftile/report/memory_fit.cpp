#include "rooftile/report/memory_fit.hpp"

#include <fmt/format.h>

namespace rooftile {

std::string used_of(Bytes used, Bytes capacity) {
  // Near the capacity and beyond it a digit more: 276.5 of 276.6 GiB, 24.3 of 24 GiB.
  constexpr double kNear = 0.99;
  return fmt::format("{:.{}g} of {:.4g} GiB", used.value() / kGiB, used < capacity * kNear ? 3 : 4,
                     capacity.value() / kGiB);
}

}  // namespace rooftile
