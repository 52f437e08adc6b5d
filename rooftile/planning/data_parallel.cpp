#include "rooftile/planning/data_parallel.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {
namespace {

// Fitted on 2026-11-21 to the 126 rows of NCCL 2.27 all-reduce on 2, 4 and 8 A100 and H100 in aiconfigurator's tables
// (512 B to 512 MB, FP16), least squares of the logarithm: off by 19 % (root mean square); fitted to one GPU alone and
// asked for the other: 41 %. A ring cut into chunks takes the square root between its latency and its bandwidth term.
constexpr double kStart = 5.94e-6, kRound = 0.833e-6;  // seconds; of every all-reduce, of each round
constexpr double kEfficiency = 0.829;                  // of the links' quoted bandwidth
constexpr double kChunk = 27.06e-6;                    // seconds
constexpr double kLinksSpread = 1.37;                  // 90 % of rows are within this factor: exp(1.645 x 0.19)

// Fitted the same day to 47 rows of Lambda's training benchmark (ResNet-50, BERT base and large on 2 to 8 V100, A100
// and RTX 3090), least absolute error of the logarithm: seconds that a byte over the ring takes, and the share of the
// step that each GPU loses, of which g of them show 2 (1 - 1/g). Nine of ten added times are between the two factors.
constexpr double kRingByte = 120e-12, kLoss = 0.024;
constexpr double kLeastOfAdded = 0.57, kMostOfAdded = 2.4;

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
