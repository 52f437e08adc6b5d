#include "rooftile/roofline/kernel.hpp"

#include <numeric>

namespace rooftile::roofline {

std::string_view name_of(Origin origin) { return origin == Origin::predicted ? "predicted" : "measured"; }

Flops Kernel::total_flops() const { return std::accumulate(flops.begin(), flops.end(), Flops(0)); }

}  // namespace rooftile::roofline
