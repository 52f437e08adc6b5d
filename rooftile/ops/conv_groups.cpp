#include "rooftile/ops/conv_groups.hpp"

#include <cmath>

#include "rooftile/ops/stream_kernels.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

// Instructions of the lanes: of a multiplication, and of a tap of an output.
constexpr double kOfMac = 10, kOfTap = 320;
constexpr double kBeforeCudnn83 = 2.2;

bool is_before_cudnn_8_3(std::string_view framework) {
  return framework.starts_with("PyTorch 1.10") || framework.starts_with("PyTorch 1.11");
}

}  // namespace

bool shares_tiles(double groups, double in_channels, double out_channels, Pass pass) {
  constexpr double kLeast = 4, kMostForward = 32, kMostGradient = 64, kGradientBlock = 256;
  const bool forward = pass == Pass::fwd;
  if (in_channels != out_channels || in_channels < kLeast) return false;
  if (in_channels > (forward ? kMostForward : kMostGradient) ||
      std::exp2(std::round(std::log2(in_channels))) != in_channels) {
    return false;
  }
  return forward || std::fmod(groups * in_channels, kGradientBlock) == 0;
}

bool lacks_grouped_kernel(const Conv& conv, Pass pass) {
  if (conv.groups <= 1 || is_depthwise(conv)) return false;
  const auto groups = static_cast<double>(conv.groups);
  return !shares_tiles(groups, static_cast<double>(conv.in_channels) / groups,
                       static_cast<double>(conv.out_channels) / groups, pass);
}

StreamKernel grouped_gradient_kernel(const Conv& conv, std::string_view framework, Bytes read, Bytes write) {
  const double channels = static_cast<double>(conv.in_channels) / static_cast<double>(conv.groups);
  StreamKernel kernel = depthwise_kernel(conv, read, write);
  kernel.work.operations = macs(conv) * (kOfMac + kOfTap / channels);
  if (is_before_cudnn_8_3(framework)) kernel.work.operations *= kBeforeCudnn83;
  return kernel;
}

}  // namespace rooftile
