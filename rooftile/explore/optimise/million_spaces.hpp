// Spaces of a million designs or a little more, small enough to try all and to search many times: tests and benchmarks
// look for the best of each.
#pragma once

namespace rooftile {

inline constexpr const char* kMillionSpaces[] = {
    R"(
gpu = "titan-xp-delta"
[axes]
sm_count = { multiples = { from = 0.5, to = 4, steps = 10 } }
mac_per_sm = { multiples = { from = 0.5, to = 4, steps = 10 } }
smem_bandwidth = { multiples = { from = 0.5, to = 4, steps = 10 } }
l1_bandwidth = { multiples = { from = 0.5, to = 4, steps = 10 } }
l2_bandwidth = { multiples = { from = 0.5, to = 4, steps = 10 } }
dram_bandwidth = { multiples = { from = 0.5, to = 4, steps = 10 } }
[[workload]]
model = "resnet152"
batch_size = 256
)",
    R"(
gpu = "v100-sxm2-16gb"
[axes]
sm_count = { multiples = { from = 0.25, to = 3, steps = 25 } }
registers = { multiples = { from = 0.25, to = 2, steps = 10 } }
smem = { multiples = { from = 0.25, to = 2, steps = 5 } }
cta_tile = { values = [128, 256] }
l2_bandwidth = { multiples = { from = 0.3, to = 3, steps = 20, spacing = "geometric" } }
dram_bandwidth = { multiples = { from = 0.3, to = 3, steps = 20, spacing = "geometric" } }
[[workload]]
model = "vgg16"
batch_size = 64
[[workload]]
model = "googlenet"
batch_size = 128
weight = 2
)",
    R"(
gpu = "p100-pcie-16gb"
[axes]
sm_count = { multiples = { from = 0.2, to = 4, steps = 40 } }
mac_per_sm = { multiples = { from = 0.25, to = 4, steps = 32, spacing = "geometric" } }
clock = { multiples = { from = 0.5, to = 1.5, steps = 20 } }
dram_bandwidth = { multiples = { from = 0.25, to = 4, steps = 40, spacing = "geometric" } }
[[workload]]
model = "alexnet"
batch_size = 128
)",
};

}  // namespace rooftile
