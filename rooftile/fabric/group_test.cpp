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

}  // namespace
}  // namespace rooftile
