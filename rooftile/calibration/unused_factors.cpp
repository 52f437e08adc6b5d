#include "rooftile/calibration/unused_factors.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"

namespace rooftile {

std::string unused_factors(const Calibration& calibration, const std::vector<std::string>& gpus) {
  constexpr std::size_t kShown = 40;
  if (calibration.factors.empty() || gpus.empty()) return "";
  const bool used = std::any_of(gpus.begin(), gpus.end(),
                                [&](const std::string& gpu) { return find_factors(calibration, gpu) != nullptr; });
  if (used) return "";
  return fmt::format("note: the calibration's factors are for {} and do not affect {}",
                     one_line(calibration.factors.front().gpu, kShown), one_line(gpus.front(), kShown));
}

}  // namespace rooftile
