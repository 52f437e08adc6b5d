// GPUs of a cluster that talk to each other, and what they share on the way.
//
//     GPUs are numbered through the nodes. Groups of 16 that take every fourth of machines with eight have two in each
//     of eight nodes, and share a node's adapters with three other groups.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"

namespace rooftile {

struct Group {
  int gpus = 1;
  int per_node = 1;             // of them
  Link link = {};               // within a node
  BytesPerSecond network = {};  // of the group's GPUs in one node together, one direction; zero within one node
  int per_bridge = 0;           // of those in a node; 0: no bridge is between them
  BytesPerSecond bridge = {};   // from these to the others, one direction
  Seconds link_latency = {}, network_latency = {};  // of a hop; zero: as NVLink's, as InfiniBand's

  int nodes() const { return gpus / per_node; }
};

// Every `stride`th GPU, `gpus` of them. Both are at least 1.
Group group_of(const GpuCluster& cluster, int gpus, int stride);

// A GPU of one pipeline stage and its counterpart in another, of stages of `gpus` GPUs each: across nodes if any of
// them is, since a stage waits for all of its GPUs.
Group pair_of_stages(const GpuCluster& cluster, int gpus, int stage, int other);

}  // namespace rooftile
