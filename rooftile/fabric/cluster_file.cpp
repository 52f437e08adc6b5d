#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/toml_choice.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/fabric/embedded.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/fabric/told_cluster.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/pcie.hpp"

namespace rooftile {
namespace {

constexpr double kMostGpusPerNode = 1024, kMostNodes = 1 << 20, kLeastRate = 1e6, kMostRate = 1e15;

struct ClusterKey {
  std::string_view name, example;
  bool needed;
  // Whether the text is one, which is then put.
  bool (*put)(GpuCluster& cluster, std::string_view text);
};

bool put_count(std::string_view text, double most, int& to) {
  const auto number = parse_number(text);
  if (!number || !(*number >= 1 && *number <= most) || *number != std::floor(*number)) return false;
  to = static_cast<int>(*number);
  return true;
}

bool put_latency(std::string_view text, Seconds& to) {
  constexpr double kLongest = 1;
  const auto time = parse<Seconds>(text);
  if (!time || !(*time > Seconds(0) && time->value() <= kLongest)) return false;
  to = *time;
  return true;
}

constexpr std::array<std::string_view, 3> kTopologies = {"switches", "mesh", "cube mesh"};

bool put_topology(std::string_view text, Topology& to) {
  const auto found = std::find(kTopologies.begin(), kTopologies.end(), text);
  if (found == kTopologies.end()) return false;
  to = static_cast<Topology>(found - kTopologies.begin());
  return true;
}

bool put_rate(std::string_view text, BytesPerSecond& to) {
  const auto rate = parse<BytesPerSecond>(text);
  if (!rate || !(rate->value() >= kLeastRate && rate->value() <= kMostRate)) return false;
  to = *rate;
  return true;
}

constexpr std::array kKeys = {
    ClusterKey{
        "gpus_per_node", "8", true,
        [](GpuCluster& to, std::string_view text) { return put_count(text, kMostGpusPerNode, to.gpus_per_node); }},
    ClusterKey{"nodes", "16", false,
               [](GpuCluster& to, std::string_view text) { return put_count(text, kMostNodes, to.nodes); }},
    ClusterKey{"link", "300 GB/s", false,
               [](GpuCluster& to, std::string_view text) { return put_rate(text, to.link.bandwidth); }},
    ClusterKey{"link_name", "NVLink 3", false,
               [](GpuCluster& to, std::string_view text) {
                 to.link.name = text;
                 return true;
               }},
    ClusterKey{"link_latency", "0.6 us", false,
               [](GpuCluster& to, std::string_view text) { return put_latency(text, to.link_latency); }},
    ClusterKey{"topology", "switches, mesh or cube mesh", false,
               [](GpuCluster& to, std::string_view text) { return put_topology(text, to.topology); }},
    ClusterKey{
        "gpus_per_bridge", "4", false,
        [](GpuCluster& to, std::string_view text) { return put_count(text, kMostGpusPerNode, to.gpus_per_bridge); }},
    ClusterKey{"bridge", "19.2 GB/s", false,
               [](GpuCluster& to, std::string_view text) { return put_rate(text, to.bridge); }},
    ClusterKey{"network_latency", "2.7 us", false,
               [](GpuCluster& to, std::string_view text) { return put_latency(text, to.network_latency); }},
    ClusterKey{"host_memory", "409.6 GB/s", false,
               [](GpuCluster& to, std::string_view text) { return put_rate(text, to.host_memory); }},
    ClusterKey{"host_link", "31.5 GB/s", false,
               [](GpuCluster& to, std::string_view text) { return put_rate(text, to.host_link); }},
    ClusterKey{"network", "200 GB/s", false,
               [](GpuCluster& to, std::string_view text) { return put_rate(text, to.network); }},
    ClusterKey{"network_name", "8 x HDR InfiniBand", false,
               [](GpuCluster& to, std::string_view text) {
                 to.network_name = text;
                 return true;
               }},
};

class ClusterReader : TomlReader {
 public:
  explicit ClusterReader(std::string_view where) : TomlReader(where), where_(where) {}

  Result<GpuCluster> read(const toml::table& root) {
    TRY(read_sources(root));
    GpuCluster cluster;
    for (auto&& [key, node] : root) {
      if (key.str() == "id") {
        cluster.id = TRY(words(node, "id"));
      } else if (key.str() == "name") {
        cluster.name = TRY(words(node, "name"));
      } else if (key.str() == "gpu") {
        cluster.gpu = TRY(words(node, "gpu"));
      } else if (key.str() == "cluster") {
        TRY(read_facts(node, cluster));
      } else if (key.str() != "sources") {
        return unknown(key, "", {"id", "name", "gpu", "sources", "cluster"});
      }
    }
    return checked(std::move(cluster));
  }

 private:
  tl::unexpected<Error> bad(std::string message) const {
    return fail(ErrorCode::bad_input, std::move(message), std::string(where_));
  }

  Result<GpuCluster> checked(GpuCluster cluster) const {
    if (cluster.id.empty()) return bad("id is missing");
    if (cluster.gpu.empty()) return bad("gpu is missing");
    if (cluster.name.empty()) cluster.name = cluster.id;
    for (const ClusterKey& key : kKeys) {
      const auto is = [&](const Fact& fact) { return fact.key == key.name; };
      if (key.needed && std::none_of(cluster.facts.begin(), cluster.facts.end(), is)) {
        return bad(fmt::format("{} is missing", key.name));
      }
    }
    const auto gpu = find_gpu(cluster.gpu);
    if (!gpu) return bad(gpu.error().message);
    cluster.gpu = gpu->id;
    if (cluster.link.bandwidth <= BytesPerSecond(0) && cluster.gpus_per_node > 1) {
      cluster.link = TRY(link_named(cluster, *gpu));
    }
    if ((cluster.gpus_per_bridge > 0) != (cluster.bridge > BytesPerSecond(0)))
      return bad("gpus_per_bridge and bridge go together");
    if (cluster.gpus_per_bridge > 0 && cluster.gpus_per_node % cluster.gpus_per_bridge != 0) {
      return bad(fmt::format("gpus_per_bridge {} does not divide gpus_per_node {}", cluster.gpus_per_bridge,
                             cluster.gpus_per_node));
    }
    if (cluster.gpus_per_bridge > 0 && cluster.gpus_per_bridge == cluster.gpus_per_node)
      return bad("gpus_per_bridge is all of gpus_per_node: no bridge is crossed");
    if (cluster.link_latency <= Seconds(0)) cluster.link_latency = usual_latency(cluster.link);
    const auto generation = pcie_generation(*gpu);
    if (cluster.host_link <= BytesPerSecond(0) && generation) cluster.host_link = pcie_bandwidth(*generation);
    if (cluster.nodes > 1 && cluster.network <= BytesPerSecond(0))
      return bad("network is missing: it has several nodes");
    return cluster;
  }

  // By its name, which may say how fast it is, or else the GPU's own.
  Result<Link> link_named(const GpuCluster& cluster, const Gpu& gpu) const {
    const std::string& name = cluster.link.name;
    const auto own = link_of(gpu, cluster.gpus_per_node);
    if (name.empty() || (own && name == own->name)) {
      if (own) return *own;
      return bad(fmt::format("link is missing, and none that joins {} x {} is known", cluster.gpus_per_node, gpu.id));
    }
    auto told = link_of_text(name);
    if (!told) return bad("link_name: " + told.error().message);
    if (*told) return **told;
    return bad(fmt::format("link is missing: how fast '{}' is, is not known", one_line(name)));
  }

  Result<void> read_facts(const toml::node& node, GpuCluster& cluster) {
    const auto* table = node.as_table();
    if (table == nullptr) return error(node.source(), "'cluster' must be a table: [cluster]");
    for (auto&& [name, value] : *table) {
      const std::string_view key_name = name.str();
      const auto known =
          std::find_if(kKeys.begin(), kKeys.end(), [&](const ClusterKey& key) { return key.name == key_name; });
      if (known == kKeys.end()) {
        std::vector<std::string> names;
        for (const ClusterKey& key : kKeys) names.emplace_back(key.name);
        return unknown(name, " in [cluster]", names);
      }
      Fact fact;
      fact.key = name.str();
      TRY(read_fact(value, known->example, 1 + static_cast<std::size_t>(FactKind::own), fact,
                    [&](const toml::node& part) -> Result<void> {
                      fact.text = TRY(words(part, "value"));
                      if (known->put(cluster, fact.text)) return {};
                      return error(part.source(), fmt::format("'{}' is no {}; write \"{}\"", one_line(fact.text),
                                                              known->name, known->example));
                    }));
      cluster.facts.push_back(std::move(fact));
    }
    return {};
  }

  std::string_view where_;
};

}  // namespace

std::string_view name_of(Topology topology) { return kTopologies[static_cast<std::size_t>(topology)]; }

// Of rings in LL, NCCL 2.18, src/graph/tuning.cc: hwLat[NVLINK], hwLat[PCI].
Seconds usual_latency(const Link& link) {
  constexpr Seconds kNvlink(0.6e-6), kPcie(1e-6);
  return link.name.starts_with("PCIe") || link.name == host_memory_link().name ? kPcie : kNvlink;
}

std::vector<std::string> gpu_cluster_ids() { return toml_ids(embedded_clusters()); }

Result<GpuCluster> parse_gpu_cluster(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a cluster file"));
  return ClusterReader(where).read(root);
}

Result<GpuCluster> find_gpu_cluster(std::string_view selector) {
  const ChosenToml chosen = TRY(choose_toml(embedded_clusters(), selector, "cluster"));
  return parse_gpu_cluster(chosen.text, chosen.where);
}

namespace {

// Read once: a table asks for the cluster of every row.
const std::vector<GpuCluster>& known_clusters() {
  static const std::vector<GpuCluster> clusters = [] {
    std::vector<GpuCluster> read;
    for (const EmbeddedText& file : embedded_clusters()) {
      if (auto cluster = parse_gpu_cluster(file.text, file.path)) read.push_back(std::move(*cluster));
    }
    return read;
  }();
  return clusters;
}

}  // namespace

GpuCluster usual_cluster(const Gpu& gpu) {
  for (const GpuCluster& cluster : known_clusters()) {
    if (cluster.gpu == gpu.id) return cluster;
  }
  // A machine of eight on PCIe or on the GPU's own link, with an adapter of 100 Gb/s.
  constexpr int kPerNode = 8, kNodes = 1 << 17;
  constexpr BytesPerSecond kAdapter(12.5e9);
  GpuCluster cluster;
  cluster.id = cluster.gpu = gpu.id;
  cluster.name = fmt::format("machines of {} x {}", kPerNode, gpu.id);
  cluster.gpus_per_node = kPerNode;
  cluster.nodes = kNodes;
  cluster.link = link_of(gpu, kPerNode).value_or(Link{"PCIe 3", pcie_bandwidth(3)});
  cluster.link_latency = usual_latency(cluster.link);
  cluster.network_name = "100 Gb/s";
  cluster.network = kAdapter;
  return cluster;
}

}  // namespace rooftile
