#include "rooftile/planning/data_parallel.hpp"

#include <algorithm>

#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/parallel/replica_loss.hpp"

namespace rooftile {
namespace {

// Fitted to 52 rows of Lambda's training benchmark (ResNet-50, BERT base and large, NCF on 2 to 8 V100, A100 and RTX
// 3090), least absolute error of the logarithm: seconds that a byte over the ring takes, beside replica_loss(). The two
// factors hold nine of ten rows of each network and of each GPU when the constants are fitted without it. Printed by
// tools/fit_data_parallel.py (docs/planning.md).
constexpr double kRingByte = 119e-12;
constexpr double kLeastOfAdded = 0.362, kMostOfAdded = 3.05;

}  // namespace

Bytes gradient_bytes(const Workload& stored) {
  Bytes bytes;
  for (const Tensor& tensor : stored.tensors) {
    if (tensor.constant && is_floating(tensor.dtype)) bytes += size_of(tensor);
  }
  return bytes;
}

std::string_view name_of(Scaling scaling) { return scaling == Scaling::measured ? "measured" : "links"; }

AddedTime added_time(Seconds step, Bytes gradients, int gpus, const Gpu& gpu, const Link& link, Scaling scaling) {
  if (gpus <= 1) return {};
  const Collective sum = {.kind = CollectiveKind::all_reduce, .gpus = gpus, .bytes = gradients};
  const CollectiveTime links = collective_time(sum, gpu, link);
  if (scaling == Scaling::links) return {links.time, {links.low, links.high}};
  const Seconds ring(share_sent(sum) * gradients.value() * kRingByte);
  const Seconds added = std::max(ring, links.time) + step * replica_loss(gpus);
  return {added, {added * kLeastOfAdded, added * kMostOfAdded}};
}

}  // namespace rooftile
