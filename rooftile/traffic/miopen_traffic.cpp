// DRAM bytes of convolutions as MIOpen runs them.
#include <algorithm>
#include <cmath>

#include "rooftile/base/powers.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {
namespace {

// Bytes that waves read again: each reads the operands of the square of C that it covers, unless the L2 holds them.
double loaded_again(const Launch& launch, const GpuSizes& sizes) {
  const Launch::Product& product = launch.product;
  const double side = std::sqrt(sizes.sms * launch.resident * launch.macs_per_step);
  const double again = 2 * product.m * product.n / side - product.m - product.n;
  if (again <= 0) return 0;
  const double depth = product.k * product.element.value();
  const double held = sizes.l2_capacity.value() * sizes.constants[MiopenConstant::reread_share];
  return product.batch * again * depth / (1 + square(held / ((product.m + product.n) * depth)));
}

}  // namespace

DramBytes miopen_dram(const Launch& launch, const GpuSizes& sizes) {
  return {launch.dram_load + Bytes(loaded_again(launch, sizes)), launch.dram_store};
}

}  // namespace rooftile
