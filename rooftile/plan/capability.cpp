#include "rooftile/plan/capability.hpp"

#include <charconv>
#include <string>

namespace rooftile {

double capability_of(const Gpu& gpu) {
  constexpr double kAmpere = 8;
  const std::string& text = gpu.compute_capability;
  double capability = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), capability);
  return status == std::errc() && end == text.data() + text.size() ? capability : kAmpere;
}

}  // namespace rooftile
