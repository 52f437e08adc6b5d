#include "rooftile/measure/cuda/micro/mover.hpp"

#include <algorithm>

#include "rooftile/measure/micro_plan.hpp"

namespace rooftile::measure {
namespace {

constexpr double target_seconds = 2e-3;
constexpr std::uint32_t most_steps = 1U << 22;

}  // namespace

void time_mover(Bench& bench, std::string_view variant, double parameter, const Mover& mover) {
  std::uint32_t steps = std::max(mover.fewest_steps, 16U);
  for (int grow = 0; grow < 3 && bench.go(); ++grow) {  // also the warm-up
    mover.prepare();
    const double seconds = bench.seconds([&] { mover.run(steps); });
    steps = grown_steps(steps, seconds, target_seconds, std::max(most_steps, steps));
  }
  steps += steps % 2;
  std::vector<double> rates;
  for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
    mover.prepare();
    const double seconds = bench.seconds([&] { mover.run(steps); });
    mover.check(steps);
    bench.note_clock();
    rates.push_back(seconds > 0 ? mover.bytes_per_step * steps / seconds : 0);
  }
  bench.add(variant, parameter, rates, "B/s");
}

void expect_sum(Bench& bench, const std::uint32_t* sum, std::uint32_t expected, const std::string& what) {
  if (bench.download(sum, 1).front() != expected && bench.go()) {
    bench.refuse(Refusal::wrong_result, what + " gave another sum");
  }
}

}  // namespace rooftile::measure
