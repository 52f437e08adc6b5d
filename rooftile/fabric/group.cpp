#include "rooftile/fabric/group.hpp"

#include <algorithm>

namespace rooftile {

Group group_of(const GpuCluster& cluster, int gpus, int stride) {
  Group group;
  group.gpus = gpus;
  group.link = cluster.link;
  group.per_node = std::clamp(cluster.gpus_per_node / stride, 1, gpus);
  // Of degrees that do not fit the nodes evenly some groups have fewer in a node; the fewest count.
  while (gpus % group.per_node != 0) --group.per_node;
  if (group.nodes() > 1)
    group.network = cluster.network * (static_cast<double>(group.per_node) / cluster.gpus_per_node);
  return group;
}

}  // namespace rooftile
