#include "rooftile/traffic/stream_traffic.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/base/powers.hpp"

namespace rooftile {
namespace {

// Of a curve from 0, everything is kept, to 1, nothing is. Its tail is the fit's and not the hardware's.
double lost_share(double excess) {
  constexpr double kTail = 0.005;
  const double share = 1 - 1 / (1 + excess);
  return share < kTail ? 0 : share;
}

}  // namespace

double resident_ctas(const StreamKernel& kernel, const GpuSizes& sizes) {
  return std::clamp(std::floor(sizes.sm_threads / kernel.threads), 1.0, sizes.sm_ctas);
}

StreamMisses stream_misses(const StreamKernel& kernel, const GpuSizes& sizes) {
  const Bytes copy = sizes.l2_copy();
  const Bytes kept = copy * sizes.constants[StreamConstant::warm_share];
  const Bytes live = kernel.row * std::min(kernel.ctas, resident_ctas(kernel, sizes) * sizes.sms);
  return {.moved = sizes.flushed ? 1 : lost_share(square((kernel.read + kernel.write) / kept)),
          .rows = lost_share(fourth(live / (copy * sizes.constants[StreamConstant::live_share])))};
}

Traffic stream_traffic(const StreamKernel& kernel, const StreamMisses& misses) {
  const Bytes loaded = (kernel.read + kernel.reread) * kernel.fetches;
  return {.l1 = loaded,
          .l2 = loaded,
          .dram = kernel.read * misses.moved + kernel.reread * misses.rows,
          .store_l2 = kernel.write,
          .store_dram = kernel.write * misses.moved,
          .compulsory = kernel.read};
}

}  // namespace rooftile
