#include "rooftile/collectives/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"all_reduce", "reduce_scatter", "all_gather",
                                                    "all_to_all", "broadcast",      "send"};

}  // namespace

std::string_view name_of(CollectiveKind kind) { return kNames[static_cast<std::size_t>(kind)]; }
std::vector<std::string> collective_kind_names() { return {kNames.begin(), kNames.end()}; }

std::optional<CollectiveKind> parse_collective_kind(std::string_view name) {
  if (name == "alltoall") return CollectiveKind::all_to_all;
  if (name == "send_recv" || name == "p2p") return CollectiveKind::send;
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CollectiveKind>(found - kNames.begin());
}

int rounds_of(const Collective& collective) {
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
      return 2 * (collective.gpus - 1);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::broadcast:
      return collective.gpus - 1;
    case CollectiveKind::all_to_all:
    case CollectiveKind::send:
      return 1;
  }
  return 1;
}

double share_of_others(const Collective& collective, int parts) {
  const double others = static_cast<double>(parts - 1), copies = collective.copies;
  return others * (1 - std::pow(others / parts, copies)) / copies;
}

double share_sent(const Collective& collective) {
  const double others = static_cast<double>(collective.gpus - 1) / collective.gpus;
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return others;
    case CollectiveKind::all_to_all:
      return share_of_others(collective, collective.gpus);
    case CollectiveKind::broadcast:
    case CollectiveKind::send:
      return 1;
  }
  return 1;
}

}  // namespace rooftile
