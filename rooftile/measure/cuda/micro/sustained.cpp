// Where the clocks settle under a long load: fp32 multiply-adds and tensor operations in turn, on the whole GPU, while
// NVML is read some five times a second, always under the load. Nothing is set: neither clocks nor limits.
#include <chrono>
#include <thread>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/nvml.hpp"
#include "rooftile/measure/cuda/micro/rate.hpp"
#include "rooftile/measure/micro_plan.hpp"

namespace rooftile::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double full_seconds = 10;
constexpr double quick_seconds = 2;
constexpr double slice_seconds = 10e-3;  // of one kernel
constexpr std::uint32_t most_steps = 1U << 20;
constexpr auto before_sample = std::chrono::milliseconds(100);
// Of both kernels queued at once: twice as long as a sample takes, so that the GPU does not wait for it even if the
// clock has risen since the kernels' length was chosen.
constexpr int pairs_queued = 10;

using Load = void (*)(Bench&, std::uint32_t, double*);

std::uint32_t slice_steps(Bench& bench, Load load, double* out) {
  std::uint32_t steps = 64;
  for (int grow = 0; grow < 3 && bench.go(); ++grow) {
    const double seconds = bench.seconds([&] { load(bench, steps, out); });
    steps = grown_steps(steps, seconds, slice_seconds, most_steps);
  }
  return steps;
}

// A figure that this GPU does not tell gives no point.
template <class Value, class ToNumber>
void add(Bench& bench, const char* variant, double time, const Outcome<Value>& value, const char* unit,
         ToNumber number) {
  if (value) {
    bench.add(variant, time, {number(*value)}, unit);
  }
}

void add_sample(Bench& bench, const Nvml& nvml, double time) {
  const auto hertz = [](Hertz value) { return value.value(); };
  const auto watts = [](Watts value) { return value.value(); };
  add(bench, "clock", time, nvml.sm_clock(), "Hz", hertz);
  add(bench, "memory_clock", time, nvml.memory_clock(), "Hz", hertz);
  add(bench, "power", time, nvml.power(), "W", watts);
  add(bench, "temperature", time, nvml.temperature(), "C", [](double value) { return value; });
}

void run_long(Bench& bench) {
  const auto nvml = Nvml::open_current();
  if (!nvml) {
    bench.refuse(nvml.error().why, nvml.error().message);
    return;
  }
  auto* out = bench.allocate<double>(static_cast<std::size_t>(bench.chip().sm_count) * 2048);
  const std::uint32_t fp32_steps = slice_steps(bench, launch_fp32_load, out);
  const std::uint32_t fp16_steps = slice_steps(bench, launch_fp16_load, out);
  const double most = bench.options().quick ? quick_seconds : full_seconds;
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  while (bench.go() && passed() < most) {
    for (int pair = 0; pair < pairs_queued; ++pair) {
      launch_fp32_load(bench, fp32_steps, out);
      launch_fp16_load(bench, fp16_steps, out);
    }
    std::this_thread::sleep_for(before_sample);
    add_sample(bench, *nvml, passed());
    bench.note_clock();  // waits
  }
  bench.wait("a long load");
}

}  // namespace

Outcome<std::vector<Point>> run_sustained(const Device&, const MicroOptions& options) {
  return run_parts("sustained", options, {run_long});
}

}  // namespace rooftile::measure
