#include "rooftile/planning/data_parallel.hpp"

#include <algorithm>

#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/parallel/replica_loss.hpp"

namespace rooftile {
namespace {

// Measured over predicted of what the GPUs add, printed by tools/fit_data_parallel.py. Links: 5 and 95 % of
// DeepLearningExamples' runs, to which nothing is fitted (the least is below 0: some scale better than ideally). Host
// memory: the widest of each network and GPU of Lambda's runs with the constants fitted without it.
struct Factors {
  double least, most;
};
constexpr Factors kOverLinks = {0, 6.45}, kThroughHost = {0.362, 3.05};

}  // namespace

Bytes gradient_bytes(const Workload& stored) {
  Bytes bytes;
  for (const Tensor& tensor : stored.tensors) {
    if (tensor.constant && is_floating(tensor.dtype)) bytes += size_of(tensor);
  }
  return bytes;
}

std::string_view name_of(Scaling scaling) { return scaling == Scaling::links ? "links" : "host-memory"; }

AddedTime added_time(Seconds step, Bytes gradients, int gpus, const Gpu& gpu, const Link& link, Scaling scaling) {
  if (gpus <= 1) return {};
  const Collective sum = {.kind = CollectiveKind::all_reduce, .gpus = gpus, .bytes = gradients};
  Seconds exchange = collective_time(sum, gpu, link).time;
  const bool through_host = scaling == Scaling::host_memory;
  if (through_host) exchange = std::max(exchange, collective_time(sum, gpu, host_memory_link()).time);
  const Seconds added = exchange + step * replica_loss(gpus);
  const Factors factors = through_host ? kThroughHost : kOverLinks;
  return {added, {added * factors.least, added * factors.most}};
}

}  // namespace rooftile
