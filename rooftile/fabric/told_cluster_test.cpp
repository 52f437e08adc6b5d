#include "rooftile/fabric/told_cluster.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/pcie.hpp"

namespace rooftile {
namespace {

TEST(ToldCluster, LinksHaveAGenerationOrABandwidth) {
  EXPECT_EQ(link_of_text("PCIe 4.0")->bandwidth, pcie_bandwidth(4));
  EXPECT_EQ(link_of_text("PCI Express Gen3 x16")->bandwidth, pcie_bandwidth(3));
  EXPECT_EQ(link_of_text("NVLINK 3.0, NVSWITCH 2.0 600GB/s")->bandwidth, BytesPerSecond(300e9));
  EXPECT_EQ(link_of_text("NVLink 600 GB/s")->name, "NVLink");
  EXPECT_EQ(link_of_text("host memory, no P2P")->bandwidth, host_memory_link().bandwidth);
  for (const char* silent :
       {"", "N/A", "TODO", "NVLink", "NVLINK BRIDGE", "6x 25GT/s NVLink", "PCIe", "GB/s", "NVLink GB/s"}) {
    EXPECT_FALSE(link_of_text(silent)) << silent;
  }
}

TEST(ToldCluster, NetworksAreAllAdaptersForComputing) {
  EXPECT_EQ(network_of_text("1x ConnectX-5 IB EDR 100Gb/Sec"), BytesPerSecond(12.5e9));
  EXPECT_EQ(network_of_text("2x ConnectX-6 IB HDR 200Gb/Sec"), BytesPerSecond(50e9));
  EXPECT_EQ(network_of_text("Management: 1x Ethernet 40Gb/Sec, Compute: 8x ConnectX-6 IB HDR 200Gb/Sec"),
            BytesPerSecond(200e9));
  EXPECT_EQ(network_of_text("Compute: 4 x Mellanox [ConnectX-6] HDR 200 Gb/Sec + "), BytesPerSecond(100e9));
  EXPECT_EQ(network_of_text("Intel X710 2x10GbE SFP+, ConnectX-6 HDR100/100GbE QSFP56"), BytesPerSecond(12.5e9));
  EXPECT_EQ(network_of_text("25 GB/s"), BytesPerSecond(25e9));
  for (const char* silent :
       {"", "N/A", "1Gb Ethernet", "Mellanox ConnectX-6", "Storage: 2x ConnectX-5 IB EDR 100Gb/Sec",
        "Management: 1x Ethernet 10GB/Sec", "Gb/s", ",,,", "x"}) {
    EXPECT_FALSE(network_of_text(silent)) << silent;
  }
}

TEST(ToldCluster, WhatARowTellsReplacesWhatIsUsual) {
  const Gpu gpu = find_gpu("a100-sxm4-40gb").value();
  const GpuCluster usual = usual_cluster(gpu);
  const GpuCluster silent = told_cluster(gpu, 16, {});
  EXPECT_EQ(silent.gpus_per_node, usual.gpus_per_node);
  EXPECT_EQ(silent.network, usual.network);
  const GpuCluster half = told_cluster(gpu, 16, {.nodes = 4, .interconnect = "PCIe 4.0", .network = {}});
  EXPECT_EQ(half.gpus_per_node, 4);
  EXPECT_EQ(half.link.bandwidth, pcie_bandwidth(4));
  EXPECT_EQ(half.network, usual.network * 0.5);
  EXPECT_EQ(told_cluster(gpu, 16, {.nodes = 4, .interconnect = {}, .network = "1x HDR 200Gb/s"}).network,
            BytesPerSecond(25e9));
  const Gpu alone = find_gpu("rtx-3090").value();
  ASSERT_EQ(told_cluster(alone, 2, {}).network, BytesPerSecond(0));
  EXPECT_EQ(told_cluster(alone, 8, {}).gpus_per_node, 8) << "no network could join two machines";
}

}  // namespace
}  // namespace rooftile
