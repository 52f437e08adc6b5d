#include "rooftile/calibration/spread_scope.hpp"

namespace rooftile {

std::string spread_scope(KernelFamily family, const Gpu& gpu) {
  const bool lanes = family == KernelFamily::conv_miopen && gpu.peak(Peak::tensor_fp16) <= FlopsPerSecond(0);
  return gpu.vendor + (lanes ? " lanes" : "");
}

std::string_view vendor_of(std::string_view spread_scope) { return spread_scope.substr(0, spread_scope.find(' ')); }

}  // namespace rooftile
