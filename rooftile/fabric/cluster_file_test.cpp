#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCluster = R"(id = "mine"
gpu = "t4"
[sources]
own = "counted"
[cluster]
gpus_per_node = { value = "4", source = "own" }
network = { value = "5 GB/s", source = "own" }
nodes = { value = "3", source = "own" }
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kCluster;
  return text.replace(text.find(from), from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto cluster = parse_gpu_cluster(text, "c.toml");
  return cluster ? "" : cluster.error().text();
}

TEST(ClusterFile, EveryClusterThatShipsCanBeReadAndNamesItsSources) {
  ASSERT_GE(gpu_cluster_ids().size(), 10U);
  for (const std::string& id : gpu_cluster_ids()) {
    const auto cluster = find_gpu_cluster(id);
    ASSERT_TRUE(cluster) << cluster.error().text();
    EXPECT_EQ(cluster->id, id);
    EXPECT_GT(cluster->link.bandwidth, BytesPerSecond(0)) << id;
    for (const Fact& fact : cluster->facts) EXPECT_FALSE(fact.source.empty()) << id << " " << fact.key;
  }
}

TEST(ClusterFile, ReadsAUsersOwnWithTheLinkOfItsGpu) {
  const GpuCluster cluster = parse_gpu_cluster(kCluster, "c.toml").value();
  EXPECT_EQ(cluster.gpus(), 12);
  EXPECT_EQ(cluster.link.name, "PCIe 3");
  EXPECT_EQ(cluster.network, BytesPerSecond(5e9));
}

TEST(ClusterFile, ABadFileIsOneLineThatSaysWhere) {
  EXPECT_THAT(error_of("nonsense"), HasSubstr("c.toml:1:"));
  EXPECT_EQ(error_of(with("gpu = \"t4\"\n", "")), "c.toml: gpu is missing");
  EXPECT_THAT(error_of(with("\"t4\"", "\"t5\"")), HasSubstr("no GPU 't5'"));
  EXPECT_EQ(error_of(with("\"4\"", "\"0\"")), "c.toml:6:27: '0' is no gpus_per_node; write \"8\"");
  EXPECT_THAT(error_of(with("\"5 GB/s\"", "\"5\"")), HasSubstr("'5' is no network; write \"200 GB/s\""));
  EXPECT_EQ(error_of(with("network = { value = \"5 GB/s\", source = \"own\" }\n", "")),
            "c.toml: network is missing: it has several nodes");
  EXPECT_THAT(find_gpu_cluster("dgx-a10").error().text(), HasSubstr("did you mean 'dgx-a100'?"));
}

TEST(ClusterFile, TheUsualOneIsTheVendorsOwnMachine) {
  EXPECT_EQ(usual_cluster(find_gpu("v100-sxm3-32gb").value()).id, "dgx-2");
  EXPECT_EQ(usual_cluster(find_gpu("t4").value()).link.name, "PCIe 3");
}

}  // namespace
}  // namespace rooftile
