#include "rooftile/hosts/input_share.hpp"

#include <algorithm>
#include <array>

#include "rooftile/gpu/pcie.hpp"

namespace rooftile {
namespace {

constexpr double kMillion = 1e6;

Seconds of_one_core(const FeedWork& work, const HostMachine& host) {
  return host.decode * (work.source_pixels / kMillion) + host.augment * (work.pixels / kMillion) +
         host.tokenise * (work.tokens / kMillion) + host.environment_step * work.steps;
}

}  // namespace

std::string_view name_of(InputLimit limit) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "cores", "disk", "copy", "environment"};
  return kNames[static_cast<std::size_t>(limit)];
}

InputLimit InputShare::limit() const {
  if (waiting <= Seconds(0)) return InputLimit::none;
  if (cores >= disk && cores >= copy) return feed == Feed::environment ? InputLimit::environment : InputLimit::cores;
  return disk >= copy ? InputLimit::disk : InputLimit::copy;
}

Seconds InputShare::waiting_of(Seconds computing) const {
  return ahead ? std::max(std::max({cores, disk, copy}) - computing, Seconds(0)) : cores + copy;
}

InputShare input_share(const Workload& workload, const Feeding& feeding, const Gpu& gpu, double batches,
                       Seconds computing) {
  const HostMachine& host = feeding.host;
  const FeedWork work = feed_work(workload, feeding.feed);
  const int generation = std::min(host.pcie_generation, pcie_generation(gpu).value_or(host.pcie_generation));
  InputShare share;
  share.host = host.id;
  share.feed = work.feed;
  share.host_cores = host.cores;
  share.ahead = work.feed != Feed::environment;
  share.cores = of_one_core(work, host) * (batches / host.cores);
  share.disk = work.stored / host.disk * batches;
  share.copy = work.sent / (pcie_bandwidth(generation) * kCopyShare) * batches;
  share.waiting = share.waiting_of(computing);
  return share;
}

}  // namespace rooftile
