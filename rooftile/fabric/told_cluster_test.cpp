#include "rooftile/fabric/told_cluster.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/pcie.hpp"

namespace rooftile {
namespace {

TEST(ToldCluster, LinksHaveAGenerationOrABandwidth) {
  const auto link = [](const char* text) { return link_of_text(text).value().value(); };
  EXPECT_EQ(link("PCIe 4.0").bandwidth, pcie_bandwidth(4));
  EXPECT_EQ(link("PCI Express Gen3 x16").bandwidth, pcie_bandwidth(3));
  EXPECT_EQ(link("PCIe x16 gen 2").bandwidth, pcie_bandwidth(2));
  EXPECT_EQ(link("NVLINK 3.0, NVSWITCH 2.0 600GB/s").bandwidth, BytesPerSecond(300e9));
  EXPECT_EQ(link("NVLink 600 GB/s").name, "NVLink");
  EXPECT_EQ(link("host memory, no P2P").bandwidth, host_memory_link().bandwidth);
  for (const char* silent : {"", "N/A", "TODO", "NVLink", "NVLINK BRIDGE", "6x 25GT/s NVLink", "PCIe", "PCIe x16",
                             "PCIe 16x", "NVLink GB/s"}) {
    EXPECT_EQ(link_of_text(silent), std::nullopt) << silent;
  }
}

TEST(ToldCluster, ALinkThatDoesNotExistIsAnError) {
  for (const char* none : {"Ethernot", "GB/s", "PCIe 9", "PCIe 0 x16", "x"}) {
    const auto link = link_of_text(none);
    ASSERT_FALSE(link) << none;
    EXPECT_EQ(link.error().message,
              std::string("no link '") + none +
                  "'; write PCIe 1 to 6, NVLink 600 GB/s, Infinity Fabric 896 GB/s or host memory");
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
