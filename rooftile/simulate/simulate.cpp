#include "rooftile/simulate/simulate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/gpu/usable_l1.hpp"
#include "rooftile/simulate/sampling.hpp"

namespace rooftile {
namespace {

bool power_of_two(double value) {
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5;
}

Result<void> check_level(const MemoryLevel& level, Bytes element) {
  constexpr double kMostSectors = 8;
  const double sectors = level.line / level.sector;
  if (power_of_two(level.sector / element) && level.sector >= element && power_of_two(sectors) && sectors >= 1 &&
      sectors <= kMostSectors) {
    return {};
  }
  return fail(ErrorCode::unsupported,
              fmt::format("a line of {} bytes with sectors of {} bytes and elements of {} bytes cannot be simulated; "
                          "sectors hold 1, 2, 4, ... elements, lines 1, 2, 4 or 8 sectors",
                          level.line.value(), level.sector.value(), element.value()),
              level.name);
}

Result<void> check(const Im2col& gemm, const Gpu& gpu, const SimulateOptions& options) {
  for (const char* level : {"L1", "L2"}) {
    TRY(check_level(gpu.level(level), options.element));
  }
  double inputs = gemm.batch * gemm.in_channels;
  for (const double positions : gemm.in) inputs *= positions;
  constexpr double kMostElements = 1125899906842624.0;  // 2^50: products of a few of them with strides stay exact
  const double elements = gemm.groups * (inputs + gemm.k * gemm.n + gemm.m * gemm.n);
  if (elements <= kMostElements) return {};
  return fail(ErrorCode::unsupported, fmt::format("{:.3g} elements are too many to simulate; at most 2^50", elements));
}

}  // namespace

std::string_view name_of(Start start) { return start == Start::cold ? "cold" : "warm"; }
std::string_view name_of(Replacement policy) { return policy == Replacement::lru ? "lru" : "random"; }

Result<Simulation> simulate(const Im2col& gemm, const Plan& plan, const Gpu& gpu, const SimulateOptions& options) {
  TRY(check(gemm, gpu, options));
  double replayed = 0;
  const Sampler* running = nullptr;
  const auto tell = [&](double ctas) {
    replayed += ctas;
    options.progress(std::min(1.0, replayed / running->expected_ctas()));
  };
  const ReplayOptions replay = {.policy = options.policy,
                                .ways = options.ways,
                                .l1 = options.l1,
                                .l1_capacity = options.l1_capacity.value_or(usable_l1(gpu)),
                                .element = options.element,
                                .stop = options.stop,
                                .replayed = options.progress ? std::function<void(double)>(tell) : nullptr};
  Sampler sampler(gemm, plan, gpu, replay);
  running = &sampler;
  if (const double least = sampler.least_requests(options.start == Start::warm, options.exact_up_to);
      least > options.most_requests) {
    constexpr double kRate = 2e7, kHour = 3600;  // requests a second
    return fail(ErrorCode::unsupported,
                fmt::format("at least {:.1e} requests of warps to replay, about {:.0f} hours; at most {:.1e} are taken",
                            least, std::ceil(least / kRate / kHour), options.most_requests));
  }
  Simulation simulation = sampler.run(options.start == Start::warm, options.exact_up_to);
  if (sampler.stopped()) return fail(ErrorCode::interrupted, "stopped");
  simulation.compulsory = compulsory_elements(gemm) * options.element;
  simulation.l1_capacity = replay.l1_capacity;
  return simulation;
}

}  // namespace rooftile
