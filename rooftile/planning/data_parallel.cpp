#include "rooftile/planning/data_parallel.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {
namespace {

// Every constant is printed by tools/fit_data_parallel.py (docs/planning.md), with the rows it takes and its errors.

// Fitted to the 126 FP16 all-reduces of NCCL (2.27.3 on A100, 2.29.2 on H100; 2, 4 and 8 GPUs, 512 B to 512 MB) in
// aiconfigurator's tables, least squares of the logarithm. A ring cut into chunks takes the square root between its
// latency and its bandwidth term.
constexpr double kStart = 5.95e-6, kRound = 0.833e-6;  // seconds; of every all-reduce, of each round
constexpr double kEfficiency = 0.829;                  // of the links' quoted bandwidth
constexpr double kChunk = 27.1e-6;                     // seconds
// 90 % of the rows of a GPU that the fit has not seen are within this factor: exp(1.645 x 0.352).
constexpr double kLinksSpread = 1.79;

// Fitted to 47 rows of Lambda's training benchmark (ResNet-50, BERT base and large on 2 to 8 V100, A100 and RTX 3090),
// least absolute error of the logarithm: seconds that a byte over the ring takes, and the share of the step that each
// GPU loses, of which g of them show 2 (1 - 1/g). The two factors hold nine of ten rows of each network and of each GPU
// when the constants are fitted without it.
constexpr double kRingByte = 119e-12, kLoss = 0.0255;
constexpr double kLeastOfAdded = 0.365, kMostOfAdded = 3.41;

double ring_bytes(Bytes bytes, int gpus) { return 2.0 * (gpus - 1) / gpus * bytes.value(); }

}  // namespace

Seconds all_reduce_time(Bytes bytes, int gpus, BytesPerSecond bandwidth) {
  if (gpus <= 1) return {};
  const double ring = ring_bytes(bytes, gpus);
  return Seconds(kStart + kRound * 2 * (gpus - 1) + ring / (kEfficiency * bandwidth.value()) +
                 std::sqrt(ring / bandwidth.value() * kChunk));
}

std::string_view name_of(Scaling scaling) { return scaling == Scaling::measured ? "measured" : "links"; }

AddedTime added_time(Seconds step, Bytes gradients, int gpus, BytesPerSecond bandwidth, Scaling scaling) {
  if (gpus <= 1) return {};
  const Seconds links = all_reduce_time(gradients, gpus, bandwidth);
  if (scaling == Scaling::links) return {links, {links / kLinksSpread, links * kLinksSpread}};
  const Seconds sent = std::max(Seconds(ring_bytes(gradients, gpus) * kRingByte), links);
  const Seconds added = sent + step * (kLoss * 2 * (1 - 1.0 / gpus));
  return {added, {added * kLeastOfAdded, added * kMostOfAdded}};
}

}  // namespace rooftile
