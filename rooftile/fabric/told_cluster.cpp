#include "rooftile/fabric/told_cluster.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/gpu/pcie.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kDigits = "0123456789.";
constexpr double kGiga = 1e9;

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

std::optional<double> number_of(std::string_view digits) {
  const auto value = take_number<double>(digits);
  return value && *value > 0 ? value : std::nullopt;
}

// The number that ends before `unit`, blanks aside: 600 of "link 600 GB/s".
std::optional<double> number_before(std::string_view text, std::string_view unit) {
  const std::size_t found = text.find(unit);
  if (found == std::string_view::npos) return {};
  text = text.substr(0, found);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::size_t before = text.find_last_not_of(kDigits);
  return number_of(text.substr(before == std::string_view::npos ? 0 : before + 1));
}

// How many: 2 of "2x ConnectX-5", "2 x10GbE"; 1 where nothing says.
double count_of(std::string_view lower) {
  for (std::size_t x = lower.find('x'); x != std::string_view::npos; x = lower.find('x', x + 1)) {
    if (const auto count = number_before(lower.substr(0, x + 1), "x")) return *count;
  }
  return 1;
}

// Of one kind of adapter, all of them together, and of one.
struct Adapters {
  BytesPerSecond all, one;
};
std::optional<Adapters> adapters_of(std::string_view text) {
  const std::string lower = lower_case(text);
  if (has(lower, "storage") || has(lower, "management")) return {};
  constexpr double kBits = 8;
  auto rate = number_before(text, "GB");
  if (!rate) rate = number_before(lower, "gb");
  if (!rate) return {};
  const BytesPerSecond one(*rate * kGiga / (has(text, "GB") ? 1 : kBits));
  return Adapters{one * std::max(1.0, count_of(lower)), one};
}

constexpr int kLastPcie = 6;

// 4 of "pcie 4.0 x16", 3 of "pci express gen3": the first number that does not count lanes.
std::optional<int> generation_of(std::string_view pcie) {
  constexpr std::string_view kWhole = "0123456789";
  std::size_t begin = pcie.find_first_of(kWhole);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(pcie.find_first_not_of(kWhole, begin), pcie.size());
    const bool lanes = pcie[begin - 1] == 'x' || (end < pcie.size() && pcie[end] == 'x');
    if (!lanes) return parse_number<int>(pcie.substr(begin, end - begin));
    begin = pcie.find_first_of(kWhole, end);
  }
  return {};
}

tl::unexpected<Error> no_link(std::string_view text) {
  return fail(ErrorCode::bad_input,
              fmt::format("no link '{}'; write PCIe 1 to {}, NVLink 600 GB/s, Infinity Fabric 896 GB/s or host memory",
                          text, kLastPcie));
}

}  // namespace

Result<std::optional<Link>> link_of_text(std::string_view text) {
  const std::string lower = lower_case(text);
  if (has(lower, "host memory")) return host_memory_link();
  if (const std::size_t pcie = lower.find("pci"); pcie != std::string::npos) {
    const auto generation = generation_of(std::string_view(lower).substr(pcie));
    if (!generation) return std::nullopt;
    if (*generation < 1 || *generation > kLastPcie) return no_link(text);
    return Link{fmt::format("PCIe {}", *generation), pcie_bandwidth(*generation)};
  }
  const bool nvlink = has(lower, "nvlink") || has(lower, "nvswitch");
  if (!nvlink && !has(lower, "infinity") && !has(lower, "xgmi")) {
    if (lower.empty() || lower == "n/a" || lower == "todo") return std::nullopt;
    return no_link(text);
  }
  const auto both = number_before(lower, "gb/s");
  if (!both) return std::nullopt;
  return Link{nvlink ? "NVLink" : "Infinity Fabric", BytesPerSecond(*both / 2 * kGiga)};
}

std::optional<BytesPerSecond> network_of_text(std::string_view text) {
  constexpr BytesPerSecond kManagement(1.25e9);
  std::optional<BytesPerSecond> best;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",;+"), text.size());
    const auto adapters = adapters_of(text.substr(0, end));
    if (adapters && adapters->one >= kManagement) best = std::max(best.value_or(BytesPerSecond(0)), adapters->all);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return best;
}

GpuCluster told_cluster(const Gpu& gpu, std::int64_t gpus, const ToldFabric& told) {
  GpuCluster cluster = usual_cluster(gpu);
  if (const auto link = link_of_text(told.interconnect).value_or(std::nullopt)) {
    cluster.link = *link;
    cluster.link_latency = usual_latency(*link);
    cluster.topology = Topology::switches;
  }
  const auto network = network_of_text(told.network);
  if (told.nodes > 0) {
    // A machine with fewer GPUs than usual has as many adapters fewer, unless the row tells.
    const int usual = cluster.gpus_per_node;
    cluster.gpus_per_node =
        static_cast<int>(std::clamp<std::int64_t>((gpus + told.nodes - 1) / told.nodes, 1, 1 << 20));
    cluster.nodes = static_cast<int>(std::clamp<std::int64_t>(told.nodes, cluster.nodes, 1 << 20));
    cluster.network = cluster.network * std::min(1.0, static_cast<double>(cluster.gpus_per_node) / usual);
  }
  if (network) cluster.network = *network;
  // A machine without a network that has more GPUs than usual.
  if (told.nodes == 0 && cluster.network == BytesPerSecond(0)) {
    cluster.gpus_per_node = static_cast<int>(std::clamp<std::int64_t>(gpus, cluster.gpus_per_node, 1 << 20));
  }
  return cluster;
}

}  // namespace rooftile
