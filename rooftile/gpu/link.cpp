#include "rooftile/gpu/link.hpp"

#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/facts.hpp"
#include "rooftile/gpu/pcie.hpp"

namespace rooftile {
namespace {

// The catalogue quotes both directions together (docs/gpus.md).
std::optional<Link> quoted(const Gpu& gpu, std::string_view key, const char* name) {
  const Fact* fact = find_fact(gpu, key);
  if (fact == nullptr) return std::nullopt;
  const auto bandwidth = parse<BytesPerSecond>(fact->text);
  if (!bandwidth) return std::nullopt;
  return Link{name, *bandwidth / 2};
}

std::optional<Link> pcie(const Gpu& gpu) {
  const auto generation = pcie_generation(gpu);
  if (!generation) return std::nullopt;
  return Link{fmt::format("PCIe {}", *generation), pcie_bandwidth(*generation)};
}

// Which boards a vendor's link joins, by the vendor's name for the board: the catalogue has the link's speed, not its
// reach. The first row counts whose form stands in the name and whose link the catalogue has.
struct Reach {
  std::string_view form;  // part of the name; empty: any
  std::string_view key;
  const char* link = "";
  int boards = 2;  // at most
};
constexpr int kAll = std::numeric_limits<int>::max();
constexpr std::array kReaches = {
    Reach{"SXM", "link.nvlink", "NVLink", kAll},                       // modules on one base board
    Reach{"GH200", "link.nvlink", "NVLink", kAll},                     // boards of up to four; NVLink switches
    Reach{"GB200", "link.nvlink", "NVLink", kAll},                     // racks of 72
    Reach{"GB300", "link.nvlink", "NVLink", kAll},                     // the same
    Reach{"H20 ", "link.nvlink", "NVLink", kAll},                      // modules on one base board
    Reach{"", "link.nvlink", "NVLink", 2},                             // cards: a bridge between two
    Reach{"MI100", "link.infinity_fabric", "Infinity Fabric", 4},      // cards: a bridge over two or four
    Reach{"MI250", "link.infinity_fabric", "Infinity Fabric", 2},      // the two devices of a board
    Reach{"MI300X", "link.infinity_fabric", "Infinity Fabric", kAll},  // modules (OAM), each with each
    Reach{"MI325X", "link.infinity_fabric", "Infinity Fabric", kAll},
};

}  // namespace

std::optional<Link> link_of(const Gpu& gpu, int gpus) {
  for (const Reach& reach : kReaches) {
    if (gpu.name.find(reach.form) == std::string::npos) continue;
    auto link = quoted(gpu, reach.key, reach.link);
    if (link && gpus <= reach.boards) return link;
    if (link) break;
  }
  return pcie(gpu);
}

Link host_memory_link() {
  // Of which NCCL's rings reach 75.3 % (collectives/), 119 ps a byte: fitted to Lambda's training runs by
  // tools/fit_data_parallel.py (docs/planning.md).
  constexpr BytesPerSecond kRate(11.16e9);
  return {"host memory", kRate};
}

}  // namespace rooftile
