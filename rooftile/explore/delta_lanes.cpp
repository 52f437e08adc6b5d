// Compiled with -O3 and without contraction of products and sums (CMakeLists.txt): every vector unit rounds alike.
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

// Doubles side by side, as g++ and clang both have them. Everything that takes them is inlined into a function that is
// compiled for a vector unit of their width.
template <std::size_t kWidth>
struct Vector {
  using Type [[gnu::vector_size(kWidth * sizeof(double))]] = double;
};

template <class V>
ROOFTILE_INLINE V load(const Lanes& lanes, std::size_t lane) {
  V result;
  __builtin_memcpy(&result, &lanes[lane], sizeof result);
  return result;
}

template <class V>
ROOFTILE_INLINE void store(double* at, V value) {
  __builtin_memcpy(at, &value, sizeof value);
}

template <class V>
ROOFTILE_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}

// The nearest whole number to 0 <= x < 2^50, by rounding where doubles have no fraction.
template <class V>
ROOFTILE_INLINE V nearest_whole(V x) {
  constexpr double kNoFraction = 0x1.8p52;
  return (x + kNoFraction) - kNoFraction;
}

// ceil(x / a) of whole numbers x >= 1 and a >= 1, given 1 / a and 1/2 - 1/(2a): x / a + 1/2 - 1/(2a) lies at least
// 1/(2a) from the next half, which rounding cannot bridge as long as x is below 2^50.
template <class V, class X>
ROOFTILE_INLINE V whole_parts(X x, V inverse, V half) {
  return nearest_whole(x * inverse + half);
}

// Sums of a vector of designs over the layers, by what limits them.
template <class V>
struct Sums {
  V time = {}, compute = {}, smem = {}, latency = {}, l1 = {}, l2 = {}, dram = {}, launch = {};
};

// A design's numbers that every layer needs, in registers.
template <class V>
struct Design {
  V inverse_sms, half_sms, inverse_l1, inverse_l2, inverse_dram, latency_l1, latency_l2, latency_dram;
};

// One layer: kOperationsPerLayer operations. Returns the time of one of its equals.
template <class V>
ROOFTILE_INLINE V run_layer(const LayerConstants& layer, const Design<V>& d, const KernelLanes& k, std::size_t lane,
                            Sums<V>& sums) {
  const double loops = layer.loops;
  const V ctas = whole_parts(layer.ctas, d.inverse_sms, d.half_sms);  // of the busiest SM
  const V waves = whole_parts(ctas, load<V>(k.inverse_active, lane), load<V>(k.half_active, lane));

  // Eqs 16 and 18 for one CTA, the prologue apart.
  const V epilogue = load<V>(k.epilogue_dram, lane);
  const V l1_step = layer.l1 * d.inverse_l1, l2_step = layer.l2 * d.inverse_l2, dram_step = layer.dram * d.inverse_dram;
  const V compute = load<V>(k.compute, lane) * loops + epilogue;
  const V smem = load<V>(k.smem, lane) * loops + epilogue;
  const V l1 = l1_step * loops + load<V>(k.epilogue_l1, lane);
  const V l2 = l2_step * loops + load<V>(k.epilogue_l2, lane);
  const V dram = dram_step * loops + epilogue;

  // Eqs 11 and 17.
  const V loaded = larger(larger(d.latency_l1 + l1_step, d.latency_l2 + l2_step), d.latency_dram + dram_step);
  const V latency = ((loaded + load<V>(k.slower_by_depth, lane)) * loops + epilogue) * waves;

  // The largest case.
  const V arithmetic = larger(compute, smem) * ctas;
  const V waited = larger(arithmetic, latency);
  const V level = larger(l1, l2);
  const V moved = larger(level, dram) * ctas;
  const V once = load<V>(k.prologue, lane) + larger(waited, moved);
  const V time = once * layer.count;

  // What it is; of equals the first in the order of Bottleneck.
  const V zero = {};
  const V by_level = moved > waited ? time : zero;
  const V by_wait = time - by_level;
  const V by_latency = latency > arithmetic ? by_wait : zero;
  const V by_arithmetic = by_wait - by_latency;
  const V by_smem = smem > compute ? by_arithmetic : zero;
  const V by_dram = dram > level ? by_level : zero;
  const V by_cache = by_level - by_dram;
  const V by_l2 = l2 > l1 ? by_cache : zero;
  sums.time += time;
  sums.compute += by_arithmetic - by_smem;
  sums.smem += by_smem;
  sums.latency += by_latency;
  sums.l1 += by_cache - by_l2;
  sums.l2 += by_l2;
  sums.dram += by_dram;
  return once;
}

// The time of a stream (timing/stream.hpp).
template <class V>
ROOFTILE_INLINE V run_stream(const StreamConstants& stream, double launch, const DesignLanes& d, std::size_t lane,
                             Sums<V>& sums) {
  const V zero = {};
  const V compute = stream.flops * load<V>(d.inverse_arithmetic_chip, lane);
  const V dram = stream.bytes * load<V>(d.inverse_dram_chip, lane);
  const V most = larger(compute, dram);
  const V once = larger(most, zero + launch);
  const V time = once * stream.count;
  const V by_launch = launch > most ? time : zero;
  const V by_dram = dram > compute ? time - by_launch : zero;
  sums.time += time;
  sums.launch += by_launch;
  sums.dram += by_dram;
  sums.compute += time - by_launch - by_dram;
  return once;
}

template <class V>
ROOFTILE_INLINE void run(const NetworkConstants& network, const DesignLanes& d, const std::vector<KernelLanes>& kernels,
                         double launch, SumLanes& all, double* times) {
  constexpr std::size_t kWidth = sizeof(V) / sizeof(double);
  for (std::size_t lane = 0; lane < kLanes; lane += kWidth) {
    const Design<V> design = {load<V>(d.inverse_sms, lane), load<V>(d.half_sms, lane),     load<V>(d.inverse_l1, lane),
                              load<V>(d.inverse_l2, lane),  load<V>(d.inverse_dram, lane), load<V>(d.latency_l1, lane),
                              load<V>(d.latency_l2, lane),  load<V>(d.latency_dram, lane)};
    Sums<V> sums;
    double* at = times == nullptr ? nullptr : times + lane;
    for (const LayerConstants& layer : network.layers) {
      const V once = run_layer<V>(layer, design, kernels[layer.kernel], lane, sums);
      if (at == nullptr) continue;
      store(at, once);
      at += kLanes;
    }
    for (const StreamConstants& stream : network.streams) {
      const V once = run_stream<V>(stream, launch, d, lane, sums);
      if (at == nullptr) continue;
      store(at, once);
      at += kLanes;
    }
    const auto keep = [&](Bottleneck which, const V& value) {
      store(&all.shares[static_cast<std::size_t>(which)][lane], value);
    };
    store(&all.time[lane], sums.time);
    keep(Bottleneck::compute, sums.compute);
    keep(Bottleneck::smem, sums.smem);
    keep(Bottleneck::latency, sums.latency);
    keep(Bottleneck::l1, sums.l1);
    keep(Bottleneck::l2, sums.l2);
    keep(Bottleneck::dram, sums.dram);
    keep(Bottleneck::launch, sums.launch);
  }
}

#if ROOFTILE_X86
[[gnu::target("avx512f,avx512dq,avx512vl")]] void run_avx512(const NetworkConstants& network,
                                                             const DesignLanes& designs,
                                                             const std::vector<KernelLanes>& kernels, double launch,
                                                             SumLanes& sums, double* times) {
  run<Vector<8>::Type>(network, designs, kernels, launch, sums, times);
}

[[gnu::target("avx2")]] void run_avx2(const NetworkConstants& network, const DesignLanes& designs,
                                      const std::vector<KernelLanes>& kernels, double launch, SumLanes& sums,
                                      double* times) {
  run<Vector<4>::Type>(network, designs, kernels, launch, sums, times);
}
#endif

void run_baseline(const NetworkConstants& network, const DesignLanes& designs, const std::vector<KernelLanes>& kernels,
                  double launch, SumLanes& sums, double* times) {
  run<Vector<2>::Type>(network, designs, kernels, launch, sums, times);
}

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
  run_baseline(network, designs, kernels, launch, sums, layer_times);
}

}  // namespace rooftile
