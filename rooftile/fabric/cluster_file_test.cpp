#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/pcie.hpp"

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

TEST(ClusterFile, LatenciesAndTopologyAreRead) {
  const std::string gpus = "gpus_per_node = { value = \"4\", source = \"own\" }\n";
  const GpuCluster usual = parse_gpu_cluster(kCluster, "c.toml").value();
  EXPECT_EQ(usual.link_latency, Seconds(1e-6)) << "PCIe";
  EXPECT_EQ(usual.topology, Topology::switches);
  EXPECT_EQ(usual.host_link, pcie_bandwidth(3));
  const auto with_line = [&](const std::string& key, const std::string& value) {
    return with(gpus, gpus + key + " = { value = \"" + value + "\", source = \"own\" }\n");
  };
  EXPECT_EQ(parse_gpu_cluster(with_line("link_latency", "3 us"), "c.toml")->link_latency, Seconds(3e-6));
  EXPECT_DOUBLE_EQ(parse_gpu_cluster(with_line("network_latency", "20 us"), "c.toml")->network_latency.value(), 2e-5);
  EXPECT_EQ(parse_gpu_cluster(with_line("topology", "cube mesh"), "c.toml")->topology, Topology::cube_mesh);
  EXPECT_EQ(parse_gpu_cluster(with_line("host_memory", "150 GB/s"), "c.toml")->host_memory, BytesPerSecond(150e9));
  EXPECT_THAT(error_of(with_line("topology", "star")),
              HasSubstr("'star' is no topology; write \"switches, mesh or cube mesh\""));
  EXPECT_THAT(error_of(with_line("link_latency", "2 s")), HasSubstr("'2 s' is no link_latency"));
}

TEST(ClusterFile, ALinkThatDoesNotExistIsOneLine) {
  EXPECT_EQ(error_of(with("\"t4\"", "\"jetson-agx-orin-64gb\"")),
            "c.toml: link is missing, and none that joins 4 x jetson-agx-orin-64gb is known");
  const std::string gpus = "gpus_per_node = { value = \"4\", source = \"own\" }\n";
  const auto named = [&](const std::string& name) {
    return with(gpus, gpus + "link_name = { value = \"" + name + "\", source = \"own\" }\n");
  };
  EXPECT_EQ(error_of(named("NVLink 9")), "c.toml: link is missing: how fast 'NVLink 9' is, is not known");
  EXPECT_THAT(error_of(named("PCIe 9")), HasSubstr("c.toml: link_name: no link 'PCIe 9'"));
  EXPECT_EQ(parse_gpu_cluster(named("PCIe 4"), "c.toml")->link.bandwidth, pcie_bandwidth(4));
  EXPECT_EQ(parse_gpu_cluster(named("PCIe 3"), "c.toml")->link.bandwidth, pcie_bandwidth(3)) << "the GPU's own";
}

TEST(ClusterFile, HostBridgesDivideTheNode) {
  const std::string gpus = "gpus_per_node = { value = \"4\", source = \"own\" }\n";
  const std::string each = "gpus_per_bridge = { value = \"2\", source = \"own\" }\n";
  const std::string rate = "bridge = { value = \"19.2 GB/s\", source = \"own\" }\n";
  const GpuCluster cluster = parse_gpu_cluster(with(gpus, gpus + each + rate), "c.toml").value();
  EXPECT_EQ(cluster.gpus_per_bridge, 2);
  EXPECT_EQ(cluster.bridge, BytesPerSecond(19.2e9));
  EXPECT_EQ(error_of(with(gpus, gpus + each)), "c.toml: gpus_per_bridge and bridge go together");
  EXPECT_EQ(error_of(with(gpus, gpus + "gpus_per_bridge = { value = \"3\", source = \"own\" }\n" + rate)),
            "c.toml: gpus_per_bridge 3 does not divide gpus_per_node 4");
  EXPECT_EQ(error_of(with(gpus, gpus + "gpus_per_bridge = { value = \"4\", source = \"own\" }\n" + rate)),
            "c.toml: gpus_per_bridge is all of gpus_per_node: no bridge is crossed");
}

}  // namespace
}  // namespace rooftile
