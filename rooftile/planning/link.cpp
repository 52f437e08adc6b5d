#include "rooftile/planning/link.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/units/text.hpp"

namespace rooftile {
namespace {

const Fact* fact_of(const Gpu& gpu, std::string_view key) {
  const auto found =
      std::find_if(gpu.facts.begin(), gpu.facts.end(), [&](const Fact& fact) { return fact.key == key; });
  return found == gpu.facts.end() ? nullptr : &*found;
}

// The catalogue quotes both directions together (docs/gpus.md).
std::optional<Link> quoted(const Gpu& gpu, std::string_view key, const char* name) {
  const Fact* fact = fact_of(gpu, key);
  if (fact == nullptr) return std::nullopt;
  const auto bandwidth = parse<BytesPerSecond>(fact->text);
  if (!bandwidth) return std::nullopt;
  return Link{name, *bandwidth / 2};
}

// 16 lanes. Generation 3: 8 GT/s a lane, 128 bits of data in 130; each generation doubles it (PCI Express Base
// Specification 3.0 to 5.0). Generations 1 and 2: 2.5 and 5 GT/s, 8 bits in 10.
std::optional<Link> pcie(const Gpu& gpu) {
  const Fact* fact = fact_of(gpu, "link.pcie_generation");
  if (fact == nullptr) return std::nullopt;
  int generation = 0;
  std::from_chars(fact->text.data(), fact->text.data() + fact->text.size(), generation);
  if (generation < 1) return std::nullopt;
  constexpr double kLanes = 16, kThird = 8e9 / 8 * 128 / 130, kFirst = 2.5e9 / 10;
  const double lane = generation < 3 ? kFirst * generation : kThird * std::exp2(generation - 3);
  return Link{fmt::format("PCIe {}", generation), BytesPerSecond(kLanes * lane)};
}

// A module on a board that joins several, not a card. The catalogue gives no form; vendors' names do.
bool is_module(const Gpu& gpu) {
  constexpr std::array<std::string_view, 2> kForms = {"SXM", "GH200"};
  return std::any_of(kForms.begin(), kForms.end(),
                     [&](std::string_view form) { return gpu.name.find(form) != std::string::npos; });
}

}  // namespace

std::optional<Link> link_of(const Gpu& gpu, int gpus) {
  constexpr int kBridged = 2;
  if (is_module(gpu) || gpus <= kBridged) {
    if (auto link = quoted(gpu, "link.nvlink", "NVLink")) return link;
  }
  if (auto link = quoted(gpu, "link.infinity_fabric", "Infinity Fabric")) return link;
  return pcie(gpu);
}

}  // namespace rooftile
