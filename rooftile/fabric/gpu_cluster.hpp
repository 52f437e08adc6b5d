// Machines full of GPUs and what joins them: data/clusters, or a user's own file (docs/clusters.md).
//
//     const GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
//     assert(cluster.gpu == "a100-sxm4-80gb" && cluster.gpus_per_node == 8);
//     assert(cluster.link.bandwidth == BytesPerSecond(300e9));   // of a GPU, one direction
//     assert(cluster.network == BytesPerSecond(200e9));          // of a node: eight adapters of 200 Gb/s
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/gpu/link.hpp"

namespace rooftile {

struct GpuCluster {
  std::string id, name;
  std::string gpu;  // id in the catalogue
  int gpus_per_node = 1;
  int nodes = 1;  // at most
  Link link;      // within a node
  std::string network_name;
  BytesPerSecond network;   // out of a node, one direction, all adapters together; zero where it has none
  std::vector<Fact> facts;  // all of these with their sources

  int gpus() const { return gpus_per_node * nodes; }
};

// Ids of the clusters that ship with the program, sorted.
std::vector<std::string> gpu_cluster_ids();

// Reads the text of a cluster file; `where` names it in errors. Errors: bad TOML, an unknown key or source, a number
// without a unit or outside its range, a fact that is missing, a GPU that the catalogue does not have.
Result<GpuCluster> parse_gpu_cluster(std::string_view toml, std::string_view where);

// An id, or a path ending in ".toml". Unknown: an error with the nearest id.
Result<GpuCluster> find_gpu_cluster(std::string_view selector);

// Machines of eight of a GPU, or as many as its link joins, with the adapters that its vendor's own machine of that
// generation has: what a GPU is taken to stand in where nothing is said.
GpuCluster usual_cluster(const Gpu& gpu);

}  // namespace rooftile
