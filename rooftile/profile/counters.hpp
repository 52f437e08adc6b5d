// What a kernel's metrics mean: bytes moved at each memory level and floating-point work, by a table of metric names.
//
// A quantity has several rules, one for each tool, generation of GPUs and way to ask for it; the first whose metrics
// are all there gives it. A metric that is missing makes the quantity unknown, never zero.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/profile/kernel_profile.hpp"

namespace rooftile::profile {

enum class Quantity {
  l1_load,
  l1_store,
  l1_total,
  l2_load,
  l2_store,
  l2_total,
  dram_load,
  dram_store,
  dram_total,
  fp64,
  fp32,
  fp16,
  tensor,
};

// What timelines of Rooftile say of each kernel.
constexpr std::string_view kDramBytes = "dram_bytes";
constexpr std::string_view kCudaFlops = "flops_cuda";      // of the ordinary units, as FP32
constexpr std::string_view kTensorFlops = "flops_tensor";  // of tensor cores

struct CounterTerm {
  std::string metric;
  double factor = 1;  // what one count stands for: bytes, FLOPs
  // Not asked for where the GPU is older: it does not have what is counted.
  double since_capability = 0;
  bool optional = false;  // absent counts as none: rare work that not every GPU has a metric for
};

struct CounterRule {
  Quantity quantity = Quantity::l1_load;
  double least_capability = 0;
  double most_capability = std::numeric_limits<double>::infinity();
  std::vector<CounterTerm> terms{};
};

// The table that ships; docs/profiles.md has it with its sources. A table of one's own may stand before or instead.
const std::vector<CounterRule>& counter_rules();

// The table that ships, with so many FLOPs for each instruction of the tensor cores on any GPU: they differ by
// architecture and type, and no public source has them for all.
std::vector<CounterRule> rules_with_tensor_flops(double flops_an_instruction);

struct KernelCounters {
  double launches = 1;                         // what the figures below are means of, as in the profile
  std::optional<Bytes> l1_load, l1_store, l1;  // `l1`, `l2`, `dram`: loads and stores
  std::optional<Bytes> l2_load, l2_store, l2;
  std::optional<Bytes> dram_load, dram_store, dram;
  std::optional<Flops> fp64, fp32, fp16;  // by the ordinary units
  std::optional<Flops> tensor;            // by the tensor cores, of any type

  bool operator==(const KernelCounters&) const = default;
};

// "8.6" -> 8.6; nothing where the text is empty or no version. Compares well up to 9 minor versions.
std::optional<double> capability_number(std::string_view compute_capability);

// One launch of the kernel. Rules that hold for some GPUs only are left out where the profile does not say which GPU
// it was.
KernelCounters counters(const KernelProfile& kernel, const std::vector<CounterRule>& rules = counter_rules());

// The metrics for `ncu --metrics` with which every quantity but FLOPs, and the stall reasons, come out on a GPU of that
// compute capability (7.0 to 12.x), and the time.
std::vector<std::string> ncu_metrics(std::string_view compute_capability);

}  // namespace rooftile::profile
