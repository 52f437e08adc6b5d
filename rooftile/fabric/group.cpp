#include "rooftile/fabric/group.hpp"

#include <algorithm>

namespace rooftile {

namespace {

// Of a GPU's links, those that lead to `gpus` - 1 others. DGX-1: three in the same half and one in the other (NVIDIA,
// DGX-1 system architecture, WP-08437-002, figure 4); on V100 two pairs have two links.
double share_of_links(const GpuCluster& cluster, int gpus) {
  constexpr double kCubeNeighbours = 4;
  const double others = gpus - 1;
  switch (cluster.topology) {
    case Topology::switches:
      break;
    case Topology::mesh:
      return others / std::max(1, cluster.gpus_per_node - 1);
    case Topology::cube_mesh:
      return std::min(1.0, others / kCubeNeighbours);
  }
  return 1;
}

// What of a host bridge a group gets whose GPUs are on several of them.
void add_bridge(const GpuCluster& cluster, int stride, Group& group) {
  if (cluster.gpus_per_bridge == 0) return;
  int each = std::clamp(cluster.gpus_per_bridge / stride, 1, group.per_node);
  while (group.per_node % each != 0) --each;
  if (each == group.per_node) return;
  group.per_bridge = each;
  group.bridge = cluster.bridge * (static_cast<double>(each) / cluster.gpus_per_bridge);
}

}  // namespace

Group group_of(const GpuCluster& cluster, int gpus, int stride) {
  Group group;
  group.gpus = gpus;
  group.link = cluster.link;
  group.per_node = std::clamp(cluster.gpus_per_node / stride, 1, gpus);
  // Of degrees that do not fit the nodes evenly some groups have fewer in a node; the fewest count.
  while (gpus % group.per_node != 0) --group.per_node;
  if (group.per_node > 1) group.link.bandwidth = group.link.bandwidth * share_of_links(cluster, group.per_node);
  group.link_latency = cluster.link_latency;
  group.network_latency = cluster.network_latency;
  add_bridge(cluster, stride, group);
  if (group.nodes() > 1)
    group.network = cluster.network * (static_cast<double>(group.per_node) / cluster.gpus_per_node);
  return group;
}

Group pair_of_stages(const GpuCluster& cluster, int gpus, int stage, int other) {
  const auto [first, last] = std::minmax(stage, other);
  const int node_of_first = first * gpus / cluster.gpus_per_node;
  const int node_of_last = ((last + 1) * gpus - 1) / cluster.gpus_per_node;
  if (node_of_first != node_of_last) return group_of(cluster, 2, cluster.gpus_per_node);
  Group pair = group_of(cluster, 2, 1);
  const int each = cluster.gpus_per_bridge;
  const bool crosses = each > 0 && first * gpus / each != ((last + 1) * gpus - 1) / each;
  pair.per_bridge = crosses ? 1 : 0;  // and so do the pairs beside it
  pair.bridge = crosses ? cluster.bridge * (1.0 / std::min(gpus, each)) : BytesPerSecond(0);
  return pair;
}

}  // namespace rooftile
