#include "rooftile/calibration/host.hpp"

namespace rooftile {
namespace {

bool begins_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

}  // namespace

const HostCosts* find_host(std::span<const HostCosts> hosts, std::string_view framework, Execution execution) {
  const HostCosts* best = nullptr;
  for (const HostCosts& host : hosts) {
    if (host.execution != execution || !begins_with(framework, host.framework)) continue;
    if (best == nullptr || host.framework.size() > best->framework.size()) best = &host;
  }
  return best;
}

}  // namespace rooftile
