// Compiled with -O3 and without contraction of products and sums (explore/CMakeLists.txt): every vector unit rounds
// alike.
#include "rooftile/explore/delta_lanes.hpp"

#if defined(__x86_64__)
#define ROOFTILE_X86 1
#else
#define ROOFTILE_X86 0
#endif

namespace rooftile {
namespace {

#define ROOFTILE_INLINE [[gnu::always_inline]] inline

ROOFTILE_INLINE double larger(double a, double b) { return a > b ? a : b; }

// The nearest whole number to 0 <= x < 2^50, by rounding where doubles have no fraction.
ROOFTILE_INLINE double nearest_whole(double x) {
  constexpr double kNoFraction = 0x1.8p52;
  return (x + kNoFraction) - kNoFraction;
}

// ceil(x / a) of whole numbers x >= 1 and a >= 1, given 1 / a and 1/2 - 1/(2a): x / a + 1/2 - 1/(2a) lies at least
// 1/(2a) from the next half, which rounding cannot bridge as long as x is below 2^50.
ROOFTILE_INLINE double whole_parts(double x, double inverse, double half) { return nearest_whole(x * inverse + half); }

// One layer. Labels are doubles so that one register holds them beside the times.
ROOFTILE_INLINE void run_layer(const LayerConstants& layer, const DesignLanes& d, const KernelLanes& k, SumLanes& sums,
                               double* times) {
  const double l1_all = layer.l1 * layer.loops, l2_all = layer.l2 * layer.loops, dram_all = layer.dram * layer.loops;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double ctas = whole_parts(layer.ctas, d.inverse_sms[i], d.half_sms[i]);  // of the busiest SM
    const double waves = whole_parts(ctas, k.inverse_active[i], k.half_active[i]);

    // Eqs 16 and 18 for one CTA, the prologue apart.
    const double compute = k.compute[i] * layer.loops + k.epilogue_dram[i];
    const double smem = k.smem[i] * layer.loops + k.epilogue_dram[i];
    const double l1 = l1_all * d.inverse_l1[i] + k.epilogue_l1[i];
    const double l2 = l2_all * d.inverse_l2[i] + k.epilogue_l2[i];
    const double dram = dram_all * d.inverse_dram[i] + k.epilogue_dram[i];

    // Eqs 11 and 17.
    const double load = larger(larger(d.latency_l1[i] + layer.l1 * d.inverse_l1[i],  //
                                      d.latency_l2[i] + layer.l2 * d.inverse_l2[i]),
                               d.latency_dram[i] + layer.dram * d.inverse_dram[i]);
    const double latency = ((load + k.slower_by_depth[i]) * layer.loops + k.epilogue_dram[i]) * waves;

    // The largest case; of equals the first in the order of Bottleneck.
    double label = smem > compute ? 1.0 : 0.0;
    double most = larger(compute, smem) * ctas;
    label = latency > most ? 2.0 : label;
    most = larger(latency, most);
    double level = l2 > l1 ? 4.0 : 3.0;
    double slowest = larger(l1, l2);
    level = dram > slowest ? 5.0 : level;
    slowest = larger(slowest, dram) * ctas;
    label = slowest > most ? level : label;
    most = larger(slowest, most);

    const double once = k.prologue[i] + most;
    const double time = once * layer.count;
    if (times != nullptr) times[i] = once;
    sums.time[i] += time;
    sums.shares[0][i] += label == 0.0 ? time : 0.0;
    sums.shares[1][i] += label == 1.0 ? time : 0.0;
    sums.shares[2][i] += label == 2.0 ? time : 0.0;
    sums.shares[3][i] += label == 3.0 ? time : 0.0;
    sums.shares[4][i] += label == 4.0 ? time : 0.0;
    sums.shares[5][i] += label == 5.0 ? time : 0.0;
  }
}

// The time of a stream (timing/stream.hpp).
ROOFTILE_INLINE void run_stream(const StreamConstants& stream, double launch, const DesignLanes& d, SumLanes& sums,
                                double* times) {
  constexpr auto kCompute = static_cast<std::size_t>(Bottleneck::compute);
  constexpr auto kDram = static_cast<std::size_t>(Bottleneck::dram);
  constexpr auto kLaunch = static_cast<std::size_t>(Bottleneck::launch);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double compute = stream.flops * d.inverse_arithmetic_chip[i];
    const double dram = stream.bytes * d.inverse_dram_chip[i];
    const double most = larger(compute, dram);
    const double once = larger(launch, most);
    const double time = once * stream.count;
    const double worked = launch > most ? 0.0 : time;
    if (times != nullptr) times[i] = once;
    sums.time[i] += time;
    sums.shares[kCompute][i] += dram > compute ? 0.0 : worked;
    sums.shares[kDram][i] += dram > compute ? worked : 0.0;
    sums.shares[kLaunch][i] += launch > most ? time : 0.0;
  }
}

ROOFTILE_INLINE void run(const NetworkConstants& network, const DesignLanes& designs,
                         const std::vector<KernelLanes>& kernels, double launch, SumLanes& sums, double* times) {
  if (times == nullptr) {
    for (const LayerConstants& layer : network.layers) run_layer(layer, designs, kernels[layer.kernel], sums, nullptr);
    for (const StreamConstants& stream : network.streams) run_stream(stream, launch, designs, sums, nullptr);
    return;
  }
  for (const LayerConstants& layer : network.layers) {
    run_layer(layer, designs, kernels[layer.kernel], sums, times);
    times += kLanes;
  }
  for (const StreamConstants& stream : network.streams) {
    run_stream(stream, launch, designs, sums, times);
    times += kLanes;
  }
}

#if ROOFTILE_X86
[[gnu::target("avx512f,avx512dq,avx512vl")]] void run_avx512(const NetworkConstants& network,
                                                             const DesignLanes& designs,
                                                             const std::vector<KernelLanes>& kernels, double launch,
                                                             SumLanes& sums, double* times) {
  run(network, designs, kernels, launch, sums, times);
}

[[gnu::target("avx2")]] void run_avx2(const NetworkConstants& network, const DesignLanes& designs,
                                      const std::vector<KernelLanes>& kernels, double launch, SumLanes& sums,
                                      double* times) {
  run(network, designs, kernels, launch, sums, times);
}
#endif

}  // namespace

std::string_view name_of(VectorUnit unit) {
  switch (unit) {
    case VectorUnit::avx512:
      return "AVX-512";
    case VectorUnit::avx2:
      return "AVX2";
    case VectorUnit::baseline:
      break;
  }
  return "baseline";
}

std::vector<VectorUnit> vector_units() {
  std::vector<VectorUnit> units;
#if ROOFTILE_X86
  const bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) units.push_back(VectorUnit::avx512);
  if (__builtin_cpu_supports("avx2")) units.push_back(VectorUnit::avx2);
#endif
  units.push_back(VectorUnit::baseline);
  return units;
}

void run_layers(VectorUnit unit, const NetworkConstants& network, const DesignLanes& designs,
                const std::vector<KernelLanes>& kernels, double launch, SumLanes& sums, double* layer_times) {
#if ROOFTILE_X86
  if (unit == VectorUnit::avx512) return run_avx512(network, designs, kernels, launch, sums, layer_times);
  if (unit == VectorUnit::avx2) return run_avx2(network, designs, kernels, launch, sums, layer_times);
#endif
  (void)unit;
  run(network, designs, kernels, launch, sums, layer_times);
}

}  // namespace rooftile
