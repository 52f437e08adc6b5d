#include "rooftile/calibration/host.hpp"

namespace rooftile {

const HostCosts* find_host(std::span<const HostCosts> hosts, std::string_view framework, Execution execution) {
  const HostCosts* best = nullptr;
  for (const HostCosts& host : hosts) {
    if (host.execution != execution || !framework.starts_with(host.framework)) continue;
    if (best == nullptr || host.framework.size() > best->framework.size()) best = &host;
  }
  return best;
}

}  // namespace rooftile
