#include "rooftile/report/memory_fit.hpp"

#include <fmt/format.h>

namespace rooftile {

std::string used_of(Bytes used, Bytes capacity) {
  // Of what does not fit a digit more: 24.3 of 24 GiB.
  return fmt::format("{:.{}g} of {:.4g} GiB", used.value() / kGiB, used <= capacity ? 3 : 4, capacity.value() / kGiB);
}

}  // namespace rooftile
