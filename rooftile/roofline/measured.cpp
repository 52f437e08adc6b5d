#include "rooftile/roofline/measured.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/gpu/generation.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/stall_reasons.hpp"
#include "rooftile/roofline/stalls.hpp"

namespace rooftile::roofline {
namespace {

using profile::KernelCounters;
using profile::KernelProfile;

// Whether the profile asked for what tensor cores do, where there are any.
bool lacks_tensor(const KernelProfile& kernel, const KernelCounters& counters) {
  const auto capability = profile::capability_number(kernel.compute_capability);
  return !counters.tensor && capability && generation::has_tensor_cores(*capability);
}

std::optional<Bytes> bytes_at(const KernelCounters& counters, std::string_view level) {
  if (level == "L1") return counters.l1;
  if (level == "L2") return counters.l2;
  if (level == "DRAM") return counters.dram;
  return std::nullopt;
}

// The unit that did most of the FLOPs; FP32 without any.
Peak largest_unit(const std::array<Flops, kPeaks>& flops) {
  const auto most = std::max_element(flops.begin(), flops.end());
  return *most > Flops(0) ? static_cast<Peak>(most - flops.begin()) : Peak::fp32;
}

Kernel kernel_of(const KernelProfile& timed, const KernelProfile& counted, const KernelCounters& counters,
                 const Roof& roof) {
  Kernel kernel;
  kernel.origin = Origin::measured;
  kernel.name = one_line(timed.name, 1000);
  kernel.op = one_line(timed.op);
  kernel.launches = timed.launches;
  kernel.time = *timed.time * timed.launches;
  kernel.flops_known = false;
  for (const auto& [peak, flops] : {std::pair{Peak::fp64, counters.fp64},
                                    {Peak::fp32, counters.fp32},
                                    {Peak::fp16, counters.fp16},
                                    {tensor_unit_of(timed.name), counters.tensor}}) {
    if (!flops) continue;
    kernel.flops_known = true;
    kernel.flops[static_cast<std::size_t>(peak)] += *flops * timed.launches;
  }
  kernel.unit = largest_unit(kernel.flops);
  for (const RoofLevel& level : roof.levels) {
    auto bytes = bytes_at(counters, level.name);
    if (bytes) *bytes *= timed.launches;
    kernel.bytes.push_back(bytes);
  }
  for (const profile::StallShare& stall : profile::stall_shares(counted)) {
    kernel.stalls.push_back({stall.reason, stall.share});
  }
  return kernel;
}

// Kernels with counters and no time, by name; the first of each.
std::unordered_map<std::string_view, const KernelProfile*> untimed_kernels(const std::vector<NamedProfile>& profiles) {
  std::unordered_map<std::string_view, const KernelProfile*> found;
  for (const NamedProfile& file : profiles) {
    for (const KernelProfile& kernel : file.profile.kernels) {
      if (!kernel.time && !kernel.metrics.empty()) found.emplace(kernel.name, &kernel);
    }
  }
  return found;
}

}  // namespace

void MeasuredKernels::drop(std::string where, std::string reason) {
  ++dropped_count;
  if (dropped.size() < kMostDropped) dropped.push_back({std::move(where), std::move(reason)});
}

Peak tensor_unit_of(std::string_view kernel_name) {
  const std::string name = lower_case(kernel_name);
  struct Word {
    std::string_view word;
    Peak unit;
  };
  // What the libraries' kernels (cuDNN, cuBLAS, CUTLASS) call their types; TF32 products are "s1688" and "tf32".
  constexpr std::array<Word, 13> kWords = {{{"tf32", Peak::tensor_tf32},
                                            {"s1688gemm", Peak::tensor_tf32},
                                            {"bf16", Peak::tensor_bf16},
                                            {"bfloat16", Peak::tensor_bf16},
                                            {"e2m1", Peak::tensor_fp4},
                                            {"fp4", Peak::tensor_fp4},
                                            {"e4m3", Peak::tensor_fp8},
                                            {"e5m2", Peak::tensor_fp8},
                                            {"fp8", Peak::tensor_fp8},
                                            {"imma", Peak::tensor_int8},
                                            {"int8", Peak::tensor_int8},
                                            {"i8816", Peak::tensor_int8},
                                            {"i16832", Peak::tensor_int8}}};
  for (const Word& word : kWords) {
    if (name.find(word.word) != std::string::npos) return word.unit;
  }
  return Peak::tensor_fp16;
}

std::string absurdity(const Kernel& kernel) {
  constexpr double kLeastTime = 1e-12, kMostTime = 1e9, kMostLaunches = 1e15, kLeastCount = 1e-3, kMostCount = 1e24;
  const auto wrong = [&](double count) { return count > kMostCount || (count > 0 && count < kLeastCount); };
  const double time = kernel.time.value();
  if (!(time >= kLeastTime && time <= kMostTime)) return fmt::format("implausible time: {:.3g} s", time);
  if (!(kernel.launches >= 1 && kernel.launches <= kMostLaunches)) {
    return fmt::format("implausible number of launches: {:.3g}", kernel.launches);
  }
  if (wrong(kernel.total_flops().value())) {
    return fmt::format("implausible number of FLOPs: {:.3g}", kernel.total_flops().value());
  }
  for (const auto& bytes : kernel.bytes) {
    if (bytes && wrong(bytes->value())) return fmt::format("implausible number of bytes: {:.3g}", bytes->value());
  }
  return "";
}

MeasuredKernels kernels_of(const std::vector<NamedProfile>& profiles, const Roof& roof,
                           const std::vector<profile::CounterRule>& rules) {
  const auto untimed = untimed_kernels(profiles);
  std::unordered_map<std::string_view, bool> used;
  MeasuredKernels measured;
  std::size_t without_tensor = 0;
  for (const NamedProfile& file : profiles) {
    for (const KernelProfile& kernel : file.profile.kernels) {
      if (!kernel.time) continue;
      const KernelProfile* counted = &kernel;
      if (const auto found = untimed.find(kernel.name); kernel.metrics.empty() && found != untimed.end()) {
        counted = found->second;
        used[found->first] = true;
      }
      const KernelCounters counters = profile::counters(*counted, rules);
      Kernel made = kernel_of(kernel, *counted, counters, roof);
      if (file.profile.predicted) made.origin = Origin::predicted;
      if (const std::string reason = absurdity(made); !reason.empty()) {
        measured.drop(fmt::format("{}:{}", file.where, kernel.line),
                      fmt::format("kernel '{}': {}", one_line(kernel.name, 80), reason));
        continue;
      }
      measured.kernels.push_back(std::move(made));
      measured.shapes.push_back(kernel.input_shapes);
      measured.start.push_back(kernel.start);
      if (measured.kernels.back().flops_known && lacks_tensor(*counted, counters)) ++without_tensor;
    }
    if (const auto& host = file.profile.host; host && profiles.size() == 1) {
      measured.cpu = host->mean;
      measured.notes.push_back(fmt::format(
          "{}: CPU utilisation is the mean share of the time in which threads ran operators, what these waited for "
          "included (threads: {}, the busiest {:.1f} %).",
          file.where, host->threads, 100 * host->busiest));
    }
    for (const profile::Dropped& dropped : file.profile.dropped) {
      measured.drop(fmt::format("{}:{}", file.where, dropped.line), dropped.reason);
    }
    measured.dropped_count += file.profile.dropped_count - file.profile.dropped.size();
    for (const std::string& note : file.profile.notes)
      measured.notes.push_back(fmt::format("{}: {}", file.where, note));
  }
  for (const NamedProfile& file : profiles) {
    for (const KernelProfile& kernel : file.profile.kernels) {
      if (kernel.time || used.contains(kernel.name)) continue;
      measured.drop(fmt::format("{}:{}", file.where, kernel.line),
                    fmt::format("no time for kernel '{}'", one_line(kernel.name, 80)));
    }
  }
  if (without_tensor > 0) {
    measured.notes.push_back(fmt::format(
        "Kernels without a counter of the tensor cores, whose FLOPs are those of the other units alone: {}.",
        without_tensor));
  }
  return measured;
}

std::string note_of_other_gpu(const profile::Profile& profile, const Gpu& gpu) {
  if (profile.predicted && !profile.gpu.empty() && profile.gpu != gpu.name) {
    return fmt::format("predicted for {}, under the roof of {}", one_line(profile.gpu, 60), gpu.name);
  }
  const auto own = profile::capability_number(gpu.compute_capability);
  const KernelProfile* other = nullptr;
  std::size_t count = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    const auto capability = profile::capability_number(kernel.compute_capability);
    if (!own || !capability || *capability == *own) continue;
    if (other == nullptr) other = &kernel;
    ++count;
  }
  if (count == 0) return "";
  return fmt::format("{} of {} kernels ran on a GPU of compute capability {}; {} has {}", count, profile.kernels.size(),
                     one_line(other->compute_capability, 20), gpu.id, gpu.compute_capability);
}

MeasuredKernels together(std::vector<MeasuredKernels> parts) {
  MeasuredKernels all;
  const auto move_to = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (MeasuredKernels& part : parts) {
    move_to(part.kernels, all.kernels);
    move_to(part.shapes, all.shapes);
    move_to(part.start, all.start);
    move_to(part.notes, all.notes);
    move_to(part.dropped, all.dropped);
    all.dropped_count += part.dropped_count;
    if (parts.size() == 1) all.cpu = part.cpu;
  }
  return all;
}

std::optional<double> gpu_utilisation(const MeasuredKernels& measured) {
  std::vector<std::pair<double, double>> spans;
  for (std::size_t i = 0; i < measured.kernels.size(); ++i) {
    if (!measured.start[i] || measured.kernels[i].launches != 1) return std::nullopt;
    const double start = measured.start[i]->value();
    spans.emplace_back(start, start + measured.kernels[i].time.value());
  }
  if (spans.empty()) return std::nullopt;
  std::sort(spans.begin(), spans.end());
  double busy = 0, end = spans.front().first;
  for (const auto& [from, to] : spans) {
    busy += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return busy / (end - spans.front().first);
}

std::optional<double> fp32_utilisation(const std::vector<Kernel>& kernels, const Roof& roof) {
  Flops flops;
  Seconds time;
  for (const Kernel& kernel : kernels) {
    if (kernel.origin != Origin::measured || !kernel.flops_known) continue;
    flops += kernel.flops[static_cast<std::size_t>(Peak::fp32)];
    time += kernel.time;
  }
  const FlopsPerSecond peak = roof.peak(Peak::fp32);
  if (time <= Seconds(0) || peak <= FlopsPerSecond(0)) return std::nullopt;
  return (flops / peak) / time;
}

void add_measured(View& view, MeasuredKernels measured) {
  view.utilisation.gpu = gpu_utilisation(measured);
  view.utilisation.cpu = measured.cpu;
  view.utilisation.fp32 = fp32_utilisation(measured.kernels, view.roof);
  view.kernels.insert(view.kernels.end(), std::make_move_iterator(measured.kernels.begin()),
                      std::make_move_iterator(measured.kernels.end()));
  view.notes.insert(view.notes.end(), measured.notes.begin(), measured.notes.end());
  view.dropped.insert(view.dropped.end(), measured.dropped.begin(), measured.dropped.end());
  view.dropped_count += measured.dropped_count;
  view.stalls = network_stalls(view.kernels);
}

}  // namespace rooftile::roofline
