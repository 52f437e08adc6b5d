#include "rooftile/roofline/kernel.hpp"

#include <numeric>

namespace rooftile::roofline {

std::string_view name_of(Origin origin) { return origin == Origin::predicted ? "predicted" : "measured"; }

Flops Kernel::total_flops() const { return std::accumulate(flops.begin(), flops.end(), Flops(0)); }

std::string title_of(const Kernel& kernel) {
  if (!kernel.pass || *kernel.pass == Pass::fwd) return kernel.name;
  return kernel.name + " " + std::string(name_of(*kernel.pass));
}

std::string label_of(const Kernel& kernel) {
  const bool says_it = kernel.layer.empty() || kernel.name.starts_with(kernel.layer);
  if (kernel.origin == Origin::predicted || says_it) return title_of(kernel);
  return kernel.layer + ": " + title_of(kernel);
}

}  // namespace rooftile::roofline
