#include "rooftile/fabric/group.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

GpuCluster machines_of_eight() {
  GpuCluster cluster;
  cluster.gpus_per_node = 8, cluster.nodes = 64;
  cluster.link = {"NVLink", BytesPerSecond(300e9)};
  cluster.network = BytesPerSecond(200e9);
  return cluster;
}

TEST(Group, NeighboursStayInANode) {
  const Group group = group_of(machines_of_eight(), 8, 1);
  EXPECT_EQ(group.nodes(), 1);
  EXPECT_EQ(group.network, BytesPerSecond(0));
}

TEST(Group, AStrideTakesAFewOfEachNode) {
  const Group group = group_of(machines_of_eight(), 16, 4);
  EXPECT_EQ(group.per_node, 2);
  EXPECT_EQ(group.nodes(), 8);
  EXPECT_EQ(group.network, BytesPerSecond(50e9)) << "three other groups use the same adapters";
}

TEST(Group, AStrideOfANodeOrMoreTakesOne) {
  EXPECT_EQ(group_of(machines_of_eight(), 4, 8).per_node, 1);
  EXPECT_EQ(group_of(machines_of_eight(), 4, 64).network, BytesPerSecond(25e9));
}

TEST(Group, DegreesThatDoNotFillNodesSpreadEvenly) {
  const Group group = group_of(machines_of_eight(), 12, 1);
  EXPECT_EQ(group.per_node, 6);
  EXPECT_EQ(group.nodes(), 2);
}

TEST(Group, OnTwoHostBridgesSharesWhatJoinsThem) {
  GpuCluster cluster = machines_of_eight();
  cluster.gpus_per_bridge = 4, cluster.bridge = BytesPerSecond(20e9);
  EXPECT_EQ(group_of(cluster, 4, 1).per_bridge, 0) << "all on one";
  EXPECT_EQ(group_of(cluster, 8, 1).per_bridge, 4);
  EXPECT_EQ(group_of(cluster, 8, 1).bridge, BytesPerSecond(20e9));
  EXPECT_EQ(group_of(cluster, 2, 4).per_bridge, 1);
  EXPECT_EQ(group_of(cluster, 2, 4).bridge, BytesPerSecond(5e9)) << "three other pairs use it, too";
  EXPECT_EQ(pair_of_stages(cluster, 2, 0, 1).per_bridge, 0);
  EXPECT_EQ(pair_of_stages(cluster, 4, 0, 1).bridge, BytesPerSecond(5e9));
}

// Eight GPUs, each joined with each: two of them have one link of seven.
TEST(Group, FewOfAMeshUseFewOfTheirLinks) {
  GpuCluster mesh = machines_of_eight();
  mesh.topology = Topology::mesh;
  EXPECT_EQ(group_of(mesh, 8, 1).link.bandwidth, BytesPerSecond(300e9));
  EXPECT_DOUBLE_EQ(group_of(mesh, 2, 1).link.bandwidth.value(), 300e9 / 7);
  mesh.topology = Topology::cube_mesh;
  EXPECT_EQ(group_of(mesh, 8, 1).link.bandwidth, BytesPerSecond(300e9));
  EXPECT_DOUBLE_EQ(group_of(mesh, 4, 1).link.bandwidth.value(), 300e9 * 3 / 4);
  EXPECT_DOUBLE_EQ(group_of(mesh, 2, 4).link.bandwidth.value(), 300e9 / 4);
}

// Eight stages of two on machines of eight: the fourth and the fifth are in two nodes. Stages of three straddle them.
TEST(Group, StagesMeetInANodeOrAcrossTwo) {
  const GpuCluster cluster = machines_of_eight();
  const auto nodes = [&](int gpus, int stage, int other) {
    return pair_of_stages(cluster, gpus, stage, other).nodes();
  };
  EXPECT_EQ(nodes(2, 2, 3), 1);
  EXPECT_EQ(nodes(2, 3, 4), 2);
  EXPECT_EQ(nodes(2, 7, 0), 2);
  EXPECT_EQ(nodes(1, 0, 7), 1);
  EXPECT_EQ(nodes(3, 0, 1), 1);
  EXPECT_EQ(nodes(3, 1, 2), 2);
  EXPECT_EQ(nodes(16, 0, 1), 2);
  EXPECT_EQ(pair_of_stages(cluster, 2, 3, 4).network, BytesPerSecond(25e9));
}

TEST(Group, HasTheLatenciesOfItsCluster) {
  GpuCluster cluster = machines_of_eight();
  cluster.link_latency = Seconds(1e-6), cluster.network_latency = Seconds(2e-5);
  const Group group = group_of(cluster, 16, 1);
  EXPECT_EQ(group.link_latency, Seconds(1e-6));
  EXPECT_EQ(group.network_latency, Seconds(2e-5));
}

}  // namespace
}  // namespace rooftile
