// A GPU as the models see it: SMs, clock, peak rates, memory levels, limits of an SM; every number with its source.
//
//     #include "rooftile/gpu/catalogue.hpp"
//
//     Gpu gpu = find_gpu("t4").value();
//     assert(gpu.sm_count == 40);
//     assert(gpu.level("L2").capacity == Bytes(4 << 20));
//     gpu.sm_count = 80;  // a design of your own
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"

namespace rooftile {

// Where a number of the catalogue comes from.
enum class FactKind {
  vendor,    // quoted by the vendor or reported by the device
  measured,  // a microbenchmark
  stated,    // given by a paper or project for its own use
  derived,   // computed here by a documented rule (docs/gpus.md)
  own,       // stated in a user's own file, which does not say more
};

std::string_view name_of(FactKind kind);

// One number of a GPU file, for people to read.
struct Fact {
  std::string key;   // "level.L2.bandwidth"
  std::string text;  // "1051 GB/s", as the file has it, or printed if derived
  FactKind kind = FactKind::vendor;
  std::string source;  // the full text of the source; for a derived number, its rule and inputs
  std::string note;    // qualifier, conflict, working set; may be empty
};

// A rate unit: dense peak rates, 2 FLOPs per multiply-accumulate. `tensor_fp32` are matrix cores that take FP32 as it
// is, as AMD's from CDNA on do. Units of matrices come last.
enum class Peak {
  fp64,
  fp32,
  fp16,
  tensor_fp32,
  tensor_tf32,
  tensor_fp16,
  tensor_bf16,
  tensor_fp8,
  tensor_int8,
  tensor_int4,
  tensor_fp4
};
constexpr std::size_t kPeaks = 11;
std::string_view name_of(Peak peak);

struct MemoryLevel {
  std::string name;          // "L1", "L2", "MALL", "DRAM"; nearest to the SM first
  bool per_sm = false;       // one instance a SM (L1) rather than one for the chip
  Bytes capacity;            // of one instance
  BytesPerSecond bandwidth;  // loads; of one instance
  Cycles latency;            // of a load that hits here, in core clock cycles
  Bytes line;
  Bytes sector;
  double partitions = 1;  // parts that each keep a copy of what their SMs read
  double usable = 1;      // share of the capacity that keeps lines for later loads
  double ways = 16;       // lines of a set
};

// What one SM has: limits that decide how many CTAs are resident, and rates beside those of its arithmetic.
struct SmLimits {
  double registers = 65536;           // 32-bit registers
  double accumulation_registers = 0;  // of these, which only matrix instructions reach
  Bytes tensor_memory = {};           // for sums of tensor cores beside the registers; zero: there is none
  Bytes smem;                         // shared memory for CTAs
  Bytes smem_per_cta;                 // the most that one CTA can have
  double warps = 64;
  double ctas = 32;
  double warp_size = 32;
  double cluster_ctas = 1;   // the most CTAs that can share one load from the L2
  double l2_load_share = 1;  // of what CTAs of libraries' products load, where some share loads
  // Multiply-accumulates of tensor cores in a clock that loads of 4 and of 2 bytes keep up with; none: any.
  std::optional<double> pair_load_macs = {}, single_load_macs = {};
  double exponentials = 16;  // in a clock

  bool operator==(const SmLimits&) const = default;
};

struct Gpu {
  std::string id;
  std::string name;
  std::string vendor;
  std::string architecture;        // "Pascal GP10x", as data/gpus/architectures/ names it
  std::string compute_capability;  // "6.1", "gfx942"

  // Which kernels libraries have for it, as NVIDIA's compute capability: 9 for Hopper.
  double generation = 8;
  double largest_tile = 128;                       // side of the largest tile that AMD's libraries have for products
  double sm_count = 1;                             // SMs or compute units
  std::optional<double> process_nm;                // name of the chip's process; energies scale with it
  Hertz clock;                                     // core clock at which the peaks and latencies are stated
  std::optional<Hertz> base_clock;                 // guaranteed under load
  std::optional<Hertz> sustained_clock;            // that the board really runs at, where that is not `clock`
  std::optional<Hertz> product_clock;              // that power leaves matrix cores in products, where measured
  std::optional<Hertz> tensor_clock;               // of tensor-core work, where it differs from `clock`
  std::array<FlopsPerSecond, kPeaks> peaks{};      // zero: the GPU has no such unit, or no source gives it
  std::optional<FlopsPerSecond> narrow_sums_peak;  // as tensor_fp16, where sums are FP16 too
  double fp16_sums = 16;                           // bits of the sums of `Peak::fp16`
  double fp8_sums = 13;                            // bits of the mantissa of tensor cores' sums of FP8
  double fma_share = 1;       // of the FP32 peak that multiply-adds of three different registers reach
  double gradient_share = 1;  // of the rate of forward kernels that gradients by implicit GEMM reach
  SmLimits sm;

  BytesPerSecond smem_load_bandwidth;   // of one SM
  BytesPerSecond smem_store_bandwidth;  // of one SM
  Cycles smem_latency;
  Bytes l1_request;  // bytes one warp's coalesced request to the L1 spans (DeLTA, Eq 3)

  std::vector<MemoryLevel> levels;  // L1, L2, (MALL,) DRAM
  Seconds launch_overhead;          // of one kernel launch

  std::optional<Watts> tdp;
  std::optional<Dollars> launch_price;
  std::optional<DollarsPerSecond> cloud_price;
  std::optional<double> host_single_thread;  // PassMark's rating of the processor beside it; none: a server's
  bool host_is_own = false;                  // that processor is on the module, so that no other can be

  std::vector<Fact> facts;  // everything above and its source; also numbers that no model uses (prices, links, …)
  std::string note;         // what to know before trusting the numbers; may be empty

  FlopsPerSecond peak(Peak which) const { return peaks[static_cast<std::size_t>(which)]; }
  // The level of that name; a validated GPU has "L1", "L2" and "DRAM".
  const MemoryLevel& level(std::string_view level_name) const;
};

}  // namespace rooftile
