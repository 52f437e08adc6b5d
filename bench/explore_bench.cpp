// Designs a second: a million GPU designs that each run all 155 convolutions of ResNet-152 (method delta), alone and
// with every design written out; and how close the inner loop comes to what the core can add and multiply.
//
// `of_limit` of delta_inner_loop is operations of the loop (kOperationsPerLayer, each an addition, multiplication,
// maximum, comparison or selection) over those of independent additions and multiplications in the same vector
// registers, measured here. `of_disk` of the rows is their rate over that of plain write() calls of as many bytes to
// the same folder (TMPDIR), `of_direct` over that of such calls past the system's cache, each measured beside it; all
// end with fsync().
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>

#include "rooftile/explore/delta_batch.hpp"
#include "rooftile/explore/delta_lanes.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/predict_evaluator.hpp"
#include "rooftile/explore/rows.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

constexpr double kLayers = 155;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of this thread, so that other work on the machine does not count.
double cpu_seconds_of(const auto& work) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    constexpr double kNano = 1e-9;
    return static_cast<double>(time.tv_sec) + kNano * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

std::vector<UniqueLayer> resnet152() {
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == "resnet152") return unique_layers(entry.build(256), 1, true).value();
  }
  return {};
}

// Six axes of ten values.
DesignSpace million(Sampling sampling = Sampling::grid) {
  DesignSpace space;
  space.base = find_gpu("titan-xp-delta").value();
  space.sampling = sampling;
  space.samples = 1000000;
  for (const Parameter parameter : {Parameter::sm_count, Parameter::mac_per_sm, Parameter::registers,
                                    Parameter::l1_bandwidth, Parameter::l2_bandwidth, Parameter::dram_bandwidth}) {
    const double base = at(design_of(space.base), parameter);
    DesignAxis axis;
    axis.parameter = parameter;
    axis.range = sampling != Sampling::grid;
    for (int i = 0; i < 10; ++i) axis.values.push_back(base * (1 + i));
    if (axis.range) axis.values = {base, 10 * base};
    space.axes.push_back(axis);
  }
  return space;
}

ExploreOptions options_of(const benchmark::State& state) {
  ExploreOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  return options;
}

void count(benchmark::State& state, double designs) {
  state.counters["designs"] = benchmark::Counter(designs, benchmark::Counter::kIsRate);
  state.counters["layers"] = benchmark::Counter(designs * kLayers, benchmark::Counter::kIsRate);
}

void explore_million(benchmark::State& state, Sampling sampling) {
  const DesignSpace space = million(sampling);
  const DeltaBatch batch(resnet152(), space.base);
  double designs = 0;
  for (auto _ : state) designs += static_cast<double>(explore(space, batch, options_of(state))->designs);
  count(state, designs);
}
BENCHMARK_CAPTURE(explore_million, grid, Sampling::grid)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explore_million, random, Sampling::random)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explore_million, sobol, Sampling::sobol)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

// Method rooftile: all layers of a network on random designs around a GPU, six axes.
void refined_designs(benchmark::State& state, const char* model, const char* gpu, DType precision, Phase phase) {
  DesignSpace space;
  space.base = find_gpu(gpu).value();
  space.sampling = Sampling::random;
  space.samples = 10000;
  for (const Parameter parameter : {Parameter::sm_count, Parameter::clock, Parameter::l1_capacity,
                                    Parameter::l2_capacity, Parameter::l2_bandwidth, Parameter::dram_bandwidth}) {
    const double base = at(design_of(space.base), parameter);
    space.axes.push_back({.parameter = parameter, .values = {base / 2, base * 2}, .range = true});
  }
  WeightedWorkload workload;
  workload.phase = phase;
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == model) workload.workload = entry.build(phase == Phase::fwd ? 256 : 16);
  }
  const PredictEvaluator evaluator({workload}, space.base, {.precision = precision});
  double designs = 0, layers = 0;
  for (const LayerColumn& layer : evaluator.layers()) layers += layer.count;
  for (auto _ : state) designs += static_cast<double>(explore(space, evaluator, options_of(state))->designs);
  state.counters["designs"] = benchmark::Counter(designs, benchmark::Counter::kIsRate);
  state.counters["layers"] = benchmark::Counter(designs * layers, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(refined_designs, resnet152, "resnet152", "titan-xp", DType::fp32, Phase::fwd)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(refined_designs, resnet50_training, "resnet50", "a100-sxm4-80gb", DType::fp16, Phase::step)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(refined_designs, bert_large_training, "bert_large", "a100-sxm4-80gb", DType::bf16, Phase::step)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// A front over two ranges and the time: 9,000 and 90,000 designs that none beats. `cpu_of_front` is the CPU time that
// it costs, in seconds: that of the same exploration without it taken off.
void pareto_front(benchmark::State& state, Parameter first, Parameter second) {
  const DesignSpace space = million(Sampling::random);
  const DeltaBatch batch(resnet152(), space.base);
  ExploreOptions options = options_of(state);
  std::size_t front = 0;
  double designs = 0, with = 0, without = 0;
  for (auto _ : state) {
    options.results.pareto = {};
    without += cpu_seconds_of([&] { designs += static_cast<double>(explore(space, batch, options)->designs); });
    options.results.pareto = {metric_of(first), metric_of(second)};
    with += cpu_seconds_of([&] { front = explore(space, batch, options)->pareto.size(); });
  }
  state.counters["designs"] = benchmark::Counter(designs, benchmark::Counter::kIsRate);
  state.counters["front"] = static_cast<double>(front);
  state.counters["cpu_of_front"] = (with - without) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(pareto_front, some, Parameter::mac_per_sm, Parameter::dram_bandwidth)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pareto_front, many, Parameter::sm_count, Parameter::dram_bandwidth)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

template <std::size_t kWidth>
struct Vector {
  using Type [[gnu::vector_size(kWidth * sizeof(double))]] = double;
};

// Additions and multiplications of doubles, in vectors of kWidth: six independent chains of each, so many rounds.
template <std::size_t kWidth>
[[gnu::always_inline]] inline void chains(std::int64_t rounds) {
  using V = typename Vector<kWidth>::Type;
  constexpr std::size_t kChains = 6;
  V sums[kChains], products[kChains];
  for (std::size_t c = 0; c < kChains; ++c) {  // all different, or they would be one
    sums[c] = V{} + static_cast<double>(c);
    products[c] = V{} + (1 + 1e-9 * static_cast<double>(c));
  }
  double one = 1;
  benchmark::DoNotOptimize(one);  // not known to the compiler
  const V step = V{} + 1e-3 * one, factor = V{} + (1 - 1e-12) * one;
  for (std::int64_t i = 0; i < rounds; ++i) {
    asm volatile("");  // rounds are neither merged nor moved
#pragma GCC unroll 6
    for (std::size_t c = 0; c < kChains; ++c) {
      sums[c] += step;
      products[c] *= factor;
    }
  }
  V total = {};
  for (std::size_t c = 0; c < kChains; ++c) total += sums[c] + products[c];
  double kept = 0;
  for (std::size_t i = 0; i < kWidth; ++i) kept += total[i];
  benchmark::DoNotOptimize(kept);
}
constexpr double kOperationsOfRound = 2 * 6;

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void chains_avx512(std::int64_t rounds) { chains<8>(rounds); }
[[gnu::target("avx2")]] void chains_avx2(std::int64_t rounds) { chains<4>(rounds); }
#endif
void chains_baseline(std::int64_t rounds) { chains<2>(rounds); }

// Operations a second of one core.
double limit_of(VectorUnit unit) {
  constexpr std::int64_t kRounds = 10000000;
  void (*run)(std::int64_t) = chains_baseline;
  double width = 2;
#if defined(__x86_64__)
  if (unit == VectorUnit::avx512) run = chains_avx512, width = 8;
  if (unit == VectorUnit::avx2) run = chains_avx2, width = 4;
#endif
  (void)unit;
  double best = 0;  // of three
  for (int i = 0; i < 3; ++i) {
    best = std::max(best, kRounds * kOperationsOfRound * width / cpu_seconds_of([&] { run(kRounds); }));
  }
  return best;
}

void delta_inner_loop(benchmark::State& state) {
  const auto unit = static_cast<VectorUnit>(state.range(0));
  const std::vector<VectorUnit> units = vector_units();
  if (std::find(units.begin(), units.end(), unit) == units.end()) {
    state.SkipWithError("this CPU has no such unit");
    return;
  }
  const Gpu gpu = find_gpu("titan-xp-delta").value();
  const NetworkConstants network = network_constants(resnet152(), gpu, kTileRows);
  DesignLanes designs = {};
  const auto fill_all = [](auto& lanes, double value) {
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = value * (1 + 1e-3 * static_cast<double>(i));
  };
  for (Lanes* lanes : {&designs.inverse_sms, &designs.half_sms, &designs.inverse_l1, &designs.inverse_l2,
                       &designs.inverse_dram, &designs.latency_l1, &designs.latency_l2, &designs.latency_dram,
                       &designs.inverse_dram_chip, &designs.inverse_arithmetic_chip}) {
    fill_all(*lanes, 1e-2);
  }
  std::vector<KernelLanes> kernels(network.kernels.size());
  for (KernelLanes& k : kernels) {
    for (Lanes* lanes : {&k.inverse_active, &k.half_active, &k.compute, &k.smem, &k.slower_by_depth, &k.prologue,
                         &k.epilogue_l1, &k.epilogue_l2, &k.epilogue_dram}) {
      fill_all(*lanes, 1e-2);
    }
  }
  SumLanes sums = {};
  const double limit = limit_of(unit);
  double layers = 0;
  const double seconds = cpu_seconds_of([&] {
    for (auto _ : state) {
      run_layers(unit, network, designs, kernels, 0, sums, nullptr);
      benchmark::DoNotOptimize(sums);
      layers += static_cast<double>(network.layers.size() * kLanes);
    }
  });
  state.counters["unique_layers"] = benchmark::Counter(layers, benchmark::Counter::kIsRate);
  state.counters["operations"] = benchmark::Counter(layers * kOperationsPerLayer, benchmark::Counter::kIsRate);
  state.counters["limit"] = limit;
  state.counters["of_limit"] = layers * kOperationsPerLayer / seconds / limit;
  state.SetLabel(std::string(name_of(unit)));
}
BENCHMARK(delta_inner_loop)->DenseRange(0, 2);

std::string scratch_file(const char* name) { return (std::filesystem::temp_directory_path() / name).string(); }

// Bytes a second of writes of a megabyte each, to the disk: plain, through the system's cache, or past it (O_DIRECT).
double disk_rate(std::uint64_t bytes, int flags = 0) {
  const std::string path = scratch_file("rooftile-bench-plain");
  constexpr std::size_t kChunk = 1 << 20;
  static const auto* chunk = static_cast<const char*>(std::memset(std::aligned_alloc(4096, kChunk), 'x', kChunk));
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0600);
  bool good = file >= 0;
  const double seconds = seconds_of([&] {
    for (std::uint64_t done = 0; good && done < bytes; done += kChunk) {
      good = ::write(file, chunk, kChunk) == static_cast<ssize_t>(kChunk);
    }
    good = good && ::fsync(file) == 0;
  });
  ::close(file);
  ::unlink(path.c_str());
  return good ? static_cast<double>(bytes) / seconds : 0;
}

template <class Rows, class... Arguments>
void write_rows(benchmark::State& state, const char* name, Arguments... arguments) {
  const DesignSpace space = million();
  const DeltaBatch batch(resnet152(), space.base);
  const std::string path = scratch_file(name);
  double bytes = 0, designs = 0, seconds = 0, plain = 0, direct = 0;
  for (auto _ : state) {
    auto created = WholeFile::create(path);
    if (!created) return state.SkipWithError("cannot write to TMPDIR");
    WholeFile& file = *created;
    Rows rows(file, space, batch.layers(), arguments...);
    ExploreOptions options = options_of(state);
    options.sinks = {&rows};
    const double own = seconds_of([&] {
      designs += static_cast<double>(explore(space, batch, options)->designs);
      if (!file.finish()) state.SkipWithError("the disk is full");
      const int written = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      ::fsync(written);
      ::close(written);
    });
    state.SetIterationTime(own);
    seconds += own;
    bytes += static_cast<double>(file.bytes());
    ::unlink(path.c_str());
    plain += static_cast<double>(file.bytes()) / disk_rate(file.bytes());
    direct += static_cast<double>(file.bytes()) / disk_rate(file.bytes(), O_DIRECT);
  }
  count(state, designs);
  state.counters["bytes"] = benchmark::Counter(bytes, benchmark::Counter::kIsRate, benchmark::Counter::kIs1024);
  state.counters["disk"] = bytes / plain;
  state.counters["of_disk"] = plain / seconds;
  state.counters["of_direct"] = direct / seconds;
}

void binary_rows(benchmark::State& state) { write_rows<BinaryRows>(state, "rooftile-bench-rows"); }
void csv_rows(benchmark::State& state) { write_rows<CsvRows>(state, "rooftile-bench-csv", true, 1.0); }
BENCHMARK(binary_rows)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(csv_rows)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
}  // namespace rooftile
