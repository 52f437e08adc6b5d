#include "rooftile/measure/cuda/micro/rate.hpp"

#include <algorithm>

#include "rooftile/measure/micro_plan.hpp"

namespace rooftile::measure {
namespace {

constexpr double target_seconds = 4e-3;
constexpr std::uint32_t most_steps = 1U << 18;  // a chain that counts stays far below 2^24, where fp32 is exact

std::string capability(int value) { return std::to_string(value / 10) + "." + std::to_string(value % 10); }

}  // namespace

void time_rate(Bench& bench, const RateLoop& loop) {
  if (!loop.exists) {
    bench.refuse(Refusal::unsupported, loop.variant + ": no such instruction on compute capability " +
                                           capability(bench.chip().compute_capability()) +
                                           ", or no code for it in this program");
    return;
  }
  const std::size_t threads = static_cast<std::size_t>(loop.ctas) * rate_threads;
  auto* out = bench.allocate<double>(threads);
  std::uint32_t steps = 64;
  for (int grow = 0; grow < 3 && bench.go(); ++grow) {  // also the warm-up
    const double seconds = bench.seconds([&] { loop.launch(steps, out); });
    steps = grown_steps(steps, seconds, target_seconds, most_steps);
  }
  std::vector<double> rates;
  for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
    bench.clear(out, threads * sizeof(double));
    const double seconds = bench.seconds([&] { loop.launch(steps, out); });
    const std::vector<double> sums = bench.download(out, threads);
    const double expected = loop.expected(steps);
    if (bench.go() && std::any_of(sums.begin(), sums.end(), [&](double sum) { return sum != expected; })) {
      bench.refuse(Refusal::wrong_result, loop.variant + " gave another sum");
    }
    bench.note_clock();
    rates.push_back(seconds > 0 ? loop.operations_per_step * steps / seconds : 0);
  }
  bench.add(loop.variant, 0, rates, "FLOP/s");
}

}  // namespace rooftile::measure
