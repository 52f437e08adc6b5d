// Profiles of 100,000 kernels, in text as the profilers write it: what must load in under two seconds.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "rooftile/profile/profile.hpp"

namespace rooftile::profile {
namespace {

constexpr int kKernels = 100'000;
constexpr const char* kName =
    "void cutlass::Kernel<cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x5_nn_align8>(Params)";

// Page raw with thirty metrics.
std::string ncu_raw() {
  std::string text =
      R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC")";
  std::string units = R"("","","","","","","","","","","")";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format(",\"smsp__metric_of_some_length_{}_per_warp_active.sum\"", i);
    units += ",\"Kbyte\"";
  }
  text += "\n" + units + "\n";
  for (int k = 0; k < kKernels; ++k) {
    text += fmt::format(R"row("{}","1","python3","127.0.0.1","{}","1","7","(128, 1, 1)","(80, 1, 1)","0","8.0")row", k,
                        kName);
    for (int i = 0; i < 30; ++i) text += fmt::format(",\"{},{:03}.{}\"", i + 1, k % 1000, i);
    text += '\n';
  }
  return text;
}

// Each kernel with the operator and the call that launched it.
std::string kineto() {
  std::string text = "{\"traceEvents\": [\n";
  for (int k = 0; k < kKernels; ++k) {
    text += fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": {0}.5, "dur": 4, "args": {{"External id": {0}, "Input Dims": [[512], [512, 1408], [1408, 512], [], []], "Input type": ["float", "float", "float", "Scalar", "Scalar"]}}}},
{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": {0}, "dur": 5, "args": {{"cbid": 211, "correlation": {0}, "External id": {0}}}}},
{{"ph": "X", "cat": "kernel", "name": "{1}", "pid": 0, "tid": 7, "ts": {0}.25, "dur": 2.5, "args": {{"queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {0}, "registers per thread": 40, "shared memory": 0, "blocks per SM": 4.7, "warps per SM": 75.2, "grid": [800, 1, 1], "block": [512, 1, 1], "est. achieved occupancy %": 100}}}}{2}
)",
        k, kName, k + 1 < kKernels ? "," : "");
  }
  return text + "]}\n";
}

void read_text(benchmark::State& state, std::string (*write)()) {
  const std::string text = write();
  for (auto _ : state) {
    const auto profile = read_profile(text, "bench");
    if (!profile || profile->kernels.size() != kKernels) return state.SkipWithError("not read");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK_CAPTURE(read_text, ncu_raw_100000_kernels, &ncu_raw)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_text, kineto_100000_kernels, &kineto)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rooftile::profile
