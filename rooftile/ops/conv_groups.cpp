#include "rooftile/ops/conv_groups.hpp"

#include <cmath>

#include "rooftile/ops/stream_kernels.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

// Instructions of the lanes for a multiplication of groups with so many channels: kOfOne / channels^kDecay, less where
// a group fills warps.
constexpr double kOfOne = 680, kDecay = 0.8, kLanesOfAWarp = 32, kOfWholeWarps = 0.75;
constexpr double kFasterSinceCudnn83 = 2.4, kMostFaster = 48;  // up to so many channels
// The same forward, in tiles as wide as that.
constexpr double kOfForwardMac = 2.5, kForwardTile = 128;

constexpr CudnnRelease kCudnn83(8, 3), kCudnn85(8, 5), kCudnn91(9, 1), kLatest(0, 0);

bool is_before(CudnnRelease release, CudnnRelease first) { return release != kLatest && release < first; }

bool is_power_of_two(double x) { return std::exp2(std::round(std::log2(x))) == x; }

double channels_of_a_group(const Conv& conv) {
  return static_cast<double>(conv.in_channels) / static_cast<double>(conv.groups);
}

}  // namespace

bool shares_tiles(double groups, double in_channels, double out_channels, Pass pass) {
  constexpr double kLeast = 4, kMost = 32, kLeastGroups = 32, kGroups = 8;
  if (in_channels != out_channels || in_channels < kLeast) return false;
  if (in_channels > kMost || !is_power_of_two(in_channels)) return false;
  return pass == Pass::fwd || (groups >= kLeastGroups && std::fmod(groups, kGroups) == 0);
}

bool lacks_grouped_kernel(const Conv& conv, Pass pass) {
  if (conv.groups <= 1 || is_depthwise(conv)) return false;
  const auto groups = static_cast<double>(conv.groups);
  return !shares_tiles(groups, static_cast<double>(conv.in_channels) / groups,
                       static_cast<double>(conv.out_channels) / groups, pass);
}

bool lacks_contiguous_kernel(const Conv& conv, Pass pass, CudnnRelease release) {
  constexpr double kNarrow = 32, kMiddle = 64, kFewGroups = 32;
  if (conv.groups <= 1 || is_depthwise(conv)) return false;
  const double channels = channels_of_a_group(conv);
  if (pass != Pass::fwd) {
    const bool few = channels == kNarrow && static_cast<double>(conv.groups) <= kFewGroups;
    return lacks_grouped_kernel(conv, pass) || (few && is_before(release, kCudnn83));
  }
  if (channels <= kNarrow) return false;
  if (channels < kMiddle) return is_before(release, kCudnn83);
  return is_before(release, is_power_of_two(channels) ? kCudnn85 : kCudnn91);
}

StreamKernel grouped_forward_kernel(const Conv& conv, Bytes read, Bytes write) {
  const double channels = channels_of_a_group(conv);
  const double filled = channels / (std::ceil(channels / kForwardTile) * kForwardTile);
  StreamKernel kernel = depthwise_kernel(conv, read, write);
  kernel.work.operations = macs(conv) * kOfForwardMac / filled;
  return kernel;
}

StreamKernel grouped_gradient_kernel(const Conv& conv, CudnnRelease release, Bytes read, Bytes write) {
  StreamKernel kernel = depthwise_kernel(conv, read, write);
  const double channels = channels_of_a_group(conv);
  kernel.work.operations = macs(conv) * kOfOne / std::pow(channels, kDecay);
  if (std::fmod(channels, kLanesOfAWarp) == 0) kernel.work.operations *= kOfWholeWarps;
  if (channels <= kMostFaster && !is_before(release, kCudnn83)) kernel.work.operations /= kFasterSinceCudnn83;
  return kernel;
}

}  // namespace rooftile
