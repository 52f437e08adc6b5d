#include "rooftile/profile/kernel_profile.hpp"

namespace rooftile::profile {

std::optional<double> KernelProfile::metric(std::string_view metric_name) const {
  const auto found = metrics.find(metric_name);
  return found == metrics.end() ? std::nullopt : std::optional<double>(found->second);
}

}  // namespace rooftile::profile
