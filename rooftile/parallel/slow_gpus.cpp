#include "rooftile/parallel/slow_gpus.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rooftile/parallel/step_timeline.hpp"

namespace rooftile {
namespace {

// Replicas that wait for each other in every layer: those that gather weights, or exchange with each other's experts.
int replicas_in_step(const Parallelism& way) {
  if (way.sharding == Sharding::all) return way.dp;
  const int gpus = way.ep > 1 ? way.ep * way.expert_tp() : 1;
  return std::max(1, gpus / (way.tp * way.cp));
}

}  // namespace

Result<void> check(const std::vector<SlowGpu>& slow, const Parallelism& way) {
  for (const SlowGpu& one : slow) {
    if (one.rank >= 0 && one.rank < way.gpus() && one.speed > 0) continue;
    return fail(ErrorCode::usage, fmt::format("there is no GPU {} of {}", one.rank, way.gpus()));
  }
  return {};
}

std::vector<std::vector<double>> slower_stages(const Parallelism& way, const std::vector<SlowGpu>& slow) {
  const std::vector<double> even(static_cast<std::size_t>(way.pp), 1);
  std::map<int, std::vector<double>> replicas;
  for (const SlowGpu& one : slow) {
    const int stage = one.rank / ranks_of_stage(way), replica = one.rank % ranks_of_stage(way) / (way.tp * way.cp);
    double& factor =
        replicas.try_emplace(replica / replicas_in_step(way), even).first->second[static_cast<std::size_t>(stage)];
    factor = std::max(factor, 1 / one.speed);
  }
  std::set<std::vector<double>> found;
  for (const auto& [replica, factors] : replicas) found.insert(factors);
  if (found.empty()) found.insert(even);
  return {found.begin(), found.end()};
}

}  // namespace rooftile
