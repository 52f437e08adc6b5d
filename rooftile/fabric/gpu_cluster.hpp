// Machines full of GPUs and what joins them: data/clusters, or a user's own file (docs/parallel.md).
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

// How the links of a node's GPUs run.
enum class Topology {
  switches,   // any GPU reaches any other with all of its links: NVSwitch, PCIe
  mesh,       // each with each: a few of many GPUs use as few of their links
  cube_mesh,  // the hybrid cube mesh of DGX-1: links lead to four of the others
};
std::string_view name_of(Topology topology);  // "cube mesh"

// Of a message from one GPU to the next in a node.
Seconds usual_latency(const Link& link);
// Through adapters of a network and its switches.
constexpr Seconds kUsualNetworkLatency(2.7e-6);

struct GpuCluster {
  std::string id, name;
  std::string gpu;  // id in the catalogue
  int gpus_per_node = 1;
  int nodes = 1;  // at most
  Link link;      // within a node
  Topology topology = Topology::switches;
  int gpus_per_bridge = 0;  // that one PCIe switch or host bridge joins; 0: all of a node
  BytesPerSecond bridge;    // from those to the node's others, one direction, all of them together
  Seconds link_latency;     // usual_latency() unless the file says otherwise
  std::string network_name;
  BytesPerSecond network;  // out of a node, one direction, all adapters together; zero where it has none
  Seconds network_latency = kUsualNetworkLatency;
  BytesPerSecond host_memory;  // of a node's processors; zero: not known
  BytesPerSecond host_link;    // of a GPU to them, one direction; PCIe unless the file says otherwise; zero: not known
  std::vector<Fact> facts;     // all of these with their sources

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
