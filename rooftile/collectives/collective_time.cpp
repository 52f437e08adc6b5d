#include "rooftile/collectives/collective_time.hpp"

#include <array>

namespace rooftile {
namespace {

// Printed by tools/fit_collectives.py: 1,008 rows of NCCL on A100 and H100, 2 to 8 GPUs, 512 B to 512 MB.
struct ProtocolCosts {
  double start = 0, round = 0;  // thousand cycles
  double efficiency = 1;        // of the link
  bool copies = true;
};
constexpr double kRingStart = 10.42, kDirectStart = 14.74;  // of every protocol; direct: all-to-all and send
constexpr std::array<ProtocolCosts, 3> kProtocols = {
    ProtocolCosts{0, 1.486, 0.054, false}, ProtocolCosts{5.152, 1.276, 0.397}, ProtocolCosts{36.39, 3.212, 0.753}};
constexpr double kCopy = 0.299;  // of the DRAM's bandwidth
constexpr double kSwitched = 0.512;
constexpr int kSwitchedRounds = 2, kLeastSwitched = 8;
constexpr double kHopper = 9;

// Nine of ten rows of a GPU that the fit has not seen are within this factor.
constexpr double kSpread = 1.31;

bool is_direct(CollectiveKind kind) { return kind == CollectiveKind::all_to_all || kind == CollectiveKind::send; }

Seconds cycles(double thousands, const Gpu& gpu) { return Seconds(thousands * 1e3 / gpu.clock.value()); }

CollectiveTime with(Protocol protocol, const ProtocolCosts& costs, int rounds, double sent,
                    const Collective& collective, const Gpu& gpu, const Link& link) {
  CollectiveTime time;
  time.protocol = protocol;
  const double start = is_direct(collective.kind) ? kDirectStart : kRingStart;
  time.latency = cycles(start + costs.start + costs.round * rounds, gpu);
  time.transfer = collective.bytes * sent / (link.bandwidth * costs.efficiency);
  const bool owns = costs.copies && collective.kind != CollectiveKind::send;
  if (owns) time.copy = collective.bytes / static_cast<double>(collective.gpus) / (gpu.level("DRAM").bandwidth * kCopy);
  time.time = time.latency + time.transfer + time.copy;
  return time;
}

bool is_switched(const Collective& collective, const Gpu& gpu, const Link& link) {
  const bool sums = is_floating(collective.dtype) && collective.dtype != DType::fp8;
  return collective.kind == CollectiveKind::all_reduce && sums && gpu.generation >= kHopper && link.name == "NVLink" &&
         collective.gpus >= kLeastSwitched;
}

}  // namespace

std::string_view name_of(Protocol protocol) {
  constexpr std::array<std::string_view, 4> kNames = {"LL", "LL128", "Simple", "NVLS"};
  return kNames[static_cast<std::size_t>(protocol)];
}

CollectiveTime collective_time(const Collective& collective, const Gpu& gpu, const Link& link) {
  CollectiveTime best;
  const auto consider = [&](const CollectiveTime& one) {
    if (best.time <= Seconds(0) || one.time < best.time) best = one;
  };
  const int rounds = rounds_of(collective);
  const double sent = share_sent(collective);
  for (std::size_t i = 0; i < kProtocols.size(); ++i) {
    consider(with(static_cast<Protocol>(i), kProtocols[i], rounds, sent, collective, gpu, link));
  }
  if (is_switched(collective, gpu, link)) {
    ProtocolCosts costs = kProtocols.back();
    costs.efficiency = kSwitched;
    consider(with(Protocol::nvls, costs, kSwitchedRounds, 1, collective, gpu, link));
  }
  best.low = best.time / kSpread;
  best.high = best.time * kSpread;
  return best;
}

}  // namespace rooftile
