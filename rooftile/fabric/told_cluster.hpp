// The machines that a row of a table tells of in its own words.
//
//     const GpuCluster cluster = told_cluster(gpu, 16, {.nodes = 4, .interconnect = "PCIe 4.0", .network = "1x HDR
//     200Gb/s"}); assert(cluster.gpus_per_node == 4 && cluster.network == BytesPerSecond(25e9));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"

namespace rooftile {

struct ToldFabric {
  std::int64_t nodes = 0;    // 0: not told
  std::string interconnect;  // within a machine: "PCIe 4.0", "NVLink 600 GB/s", "host memory"
  std::string network;       // between machines: "8x ConnectX-6 IB HDR 200Gb/s"

  bool operator==(const ToldFabric&) const = default;
};

// One direction, of a PCIe generation with 16 lanes, or of what stands before GB/s (both directions, as vendors quote
// NVLink); "host memory": host_memory_link(). Nothing where the text has none of them, as in "NVLink", "N/A". Errors:
// it names no link, or a generation of PCIe that does not exist.
Result<std::optional<Link>> link_of_text(std::string_view text);

// One direction, of all adapters that the text lists ("2x … 100Gb/s"), but for those it calls storage or management;
// Gb are bits. Nothing where none is left, or the fastest has less than 10 Gb/s: a network that machines are managed
// by.
std::optional<BytesPerSecond> network_of_text(std::string_view text);

// usual_cluster(), with what a row tells in place of what is usual.
GpuCluster told_cluster(const Gpu& gpu, std::int64_t gpus, const ToldFabric& told);

}  // namespace rooftile
