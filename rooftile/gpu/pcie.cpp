#include "rooftile/gpu/pcie.hpp"

#include <cmath>

#include "rooftile/base/parse_number.hpp"
#include "rooftile/gpu/facts.hpp"

namespace rooftile {

std::optional<int> pcie_generation(const Gpu& gpu) {
  const Fact* fact = find_fact(gpu, "link.pcie_generation");
  if (fact == nullptr) return std::nullopt;
  const auto generation = parse_number<int>(fact->text);
  return generation && *generation >= 1 ? generation : std::nullopt;
}

// Generation 3: 8 GT/s a lane, 128 bits of data in 130; each generation doubles it (PCI Express Base Specification 3.0
// to 5.0). Generations 1 and 2: 2.5 and 5 GT/s, 8 bits in 10.
BytesPerSecond pcie_bandwidth(int generation) {
  constexpr double kLanes = 16, kThird = 8e9 / 8 * 128 / 130, kFirst = 2.5e9 / 10;
  const double lane = generation < 3 ? kFirst * generation : kThird * std::exp2(generation - 3);
  return BytesPerSecond(kLanes * lane);
}

}  // namespace rooftile
