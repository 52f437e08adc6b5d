// Measured kernels: from what profilers wrote, and from layer tables with counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"
#include "rooftile/roofline/kernel.hpp"
#include "rooftile/roofline/roof.hpp"
#include "rooftile/roofline/view.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::roofline {

using Shapes = std::vector<std::vector<std::int64_t>>;

struct MeasuredKernels {
  std::vector<Kernel> kernels;                // in the order in which they ran
  std::vector<Shapes> shapes;                 // of each kernel: inputs of the op that launched it, where known
  std::vector<std::optional<Seconds>> start;  // of each kernel, on its file's clock
  std::optional<double> cpu;                  // Utilisation::cpu
  std::string predicted_for;                  // the GPU of a single predicted timeline; empty: not known
  std::vector<DroppedInput> dropped;          // the first of them
  std::size_t dropped_count = 0;
  std::vector<std::string> notes;

  static constexpr std::size_t kMostDropped = 1000;
  void drop(std::string where, std::string reason);
};

// The unit of tensor cores that a kernel's name speaks of; FP16 where it says nothing.
Peak tensor_unit_of(std::string_view kernel_name);

// Why a measured kernel's numbers cannot be true; empty where they can. What no GPU takes or counts in a run would
// leave nothing else visible in a chart.
std::string absurdity(const Kernel& kernel);

// Profiles that belong together. A kernel without a time takes its counters to the timed kernels of that name (nvprof
// writes times and metrics into different files); any other kernel without a time is dropped. `rules` say what their
// metrics mean.
struct NamedProfile {
  std::string where;  // the file
  profile::Profile profile;
};
MeasuredKernels kernels_of(const std::vector<NamedProfile>& profiles, const Roof& roof,
                           const std::vector<profile::CounterRule>& rules = profile::counter_rules());

// What to say where kernels of a profile ran on a GPU of another compute capability; empty where none did.
std::string note_of_other_gpu(const profile::Profile& profile, const Gpu& gpu);

// One after another.
MeasuredKernels together(std::vector<MeasuredKernels> parts);

// Whether a text is a layer table with times (columns op and time_us, time_ms or time_s).
bool is_measured_table(std::string_view csv);

// The rows of such a table: op kernel with kernel, launches, flop_cuda_core and flop_tensor_core, any other op with
// kernel_launches, flop_measured and flop_tensor_core; l1_, l2_ and dram_bytes_measured. The layer of a kernel is its
// dimensions ("conv N=16 C=64"), its name those with pass and framework. Times and counters are those
// of all launches. Rows of another GPU than `gpu` are dropped, like those that are wrong; rows of another precision
// than `precision`, where one is given, are left out and counted. Error: the file cannot be read at all, or nothing in
// it can be used.
Result<MeasuredKernels> kernels_of_table(std::string_view csv, std::string_view where, const Gpu& gpu, const Roof& roof,
                                         std::optional<DType> precision = {});

// Adds measured kernels to a view, with their stalls, notes and utilisation.
void add_measured(View& view, MeasuredKernels measured);

// The share of the time from the first to the last kernel in which any ran; nothing where a start is not known.
std::optional<double> gpu_utilisation(const MeasuredKernels& measured);

// FLOPs of the FP32 lanes over what they could do while kernels ran, of the kernels whose FLOPs are known; nothing
// where none are.
std::optional<double> fp32_utilisation(const std::vector<Kernel>& kernels, const Roof& roof);

}  // namespace rooftile::roofline
