#include "rooftile/traffic/attention_traffic.hpp"

#include <algorithm>

#include "rooftile/base/powers.hpp"

namespace rooftile {
namespace {

// Share that is still in the L2 of what was loaded there `between` bytes ago.
double attention_share_kept(Bytes between, const GpuSizes& sizes) {
  const Bytes room = sizes.l2_copy() * sizes.constants[AttentionConstant::warm_share];
  return 1 / (1 + fourth(between / room));
}

// As much loaded as stored.
Traffic attention_copies(Bytes bytes, double missed) {
  const Bytes half = bytes / 2;
  return {.l1 = half, .l2 = half, .dram = half * missed, .store_l2 = half, .store_dram = half * missed};
}

}  // namespace

Traffic AttentionTraffic::total() const {
  Traffic sum = attention;
  sum += around;
  sum += combine;
  return sum;
}

AttentionTraffic attention_traffic(const AttentionPlan& plan, const GpuSizes& sizes) {
  // Of what the kernels around the attention move, one half is what it reads or writes itself.
  const Bytes touched = plan.queries + plan.results + plan.keys + plan.around / 2 + plan.sums;
  const double missed = plan.warm ? 1 - attention_share_kept(touched, sizes) : 1;
  const double again = plan.reuse > Bytes(0) ? (plan.key_loads - 1) * (1 - attention_share_kept(plan.reuse, sizes)) : 0;
  const Bytes loaded = plan.queries + plan.reloads + std::max(plan.streamed, plan.keys * plan.key_loads);
  return {.attention = {.l1 = loaded,
                        .l2 = loaded,
                        .dram = (plan.queries + plan.keys * (1 + again) + plan.sums) * missed,
                        .store_l2 = plan.results + plan.added,
                        .store_dram = (plan.results + plan.sums) * missed},
          .around = attention_copies(plan.around, missed),
          .combine = attention_copies(plan.partial, 0)};
}

}  // namespace rooftile
