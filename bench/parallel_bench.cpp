// Steps of many GPUs, the search among ways to spread them, and a server's passes.
#include <benchmark/benchmark.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"
#include "rooftile/parallel/parallel_forward.hpp"
#include "rooftile/parallel/search.hpp"

namespace rooftile {
namespace {

struct Case {
  ParallelNetwork network = parallel_network({.model = "gpt3_175b", .batch = {}, .seq_len = {}}).value();
  GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
  Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  ParallelOptions options;

  Case() {
    options.predict.precision = DType::bf16;
    options.predict.training = true;
    options.predict.optimizer = Optimizer::adamw;
    options.style = style_of("");
  }
};

// GPT-3 175B on 1,024 GPUs, from its geometry to the time.
void step_of_1024_gpus(benchmark::State& state) {
  const Case one;
  Parallelism way;
  way.tp = 8, way.pp = 16, way.dp = 8, way.micro_batches = 192;
  for (auto _ : state) {
    const auto blocks = blocks_of(one.network, way, one.gpu, one.options.predict);
    benchmark::DoNotOptimize(parallel_step(*blocks, way, one.cluster, one.gpu, one.options)->time);
  }
}
BENCHMARK(step_of_1024_gpus)->Unit(benchmark::kMillisecond);

// Over 100,000 ways on two cores, of all degrees: `seconds_per_100000`.
void search_of_1024_gpus(benchmark::State& state) {
  const Case one;
  const auto ways = ways_of(one.network, one.cluster, 1024, 23040, {});
  SearchOptions options;
  options.parallel = one.options;
  options.threads = 2;
  for (auto _ : state) {
    benchmark::DoNotOptimize(search_ways(one.network, ways, one.cluster, one.gpu, options).size());
  }
  const auto tried = static_cast<double>(ways.size());
  state.counters["ways"] = tried;
  state.counters["seconds_per_100000"] = benchmark::Counter(tried / 1e5 * static_cast<double>(state.iterations()),
                                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(search_of_1024_gpus)->Unit(benchmark::kMillisecond)->UseRealTime();

// A token more for each of 64 sequences.
void llama2_70b_on_8_gpus(benchmark::State& state) {
  const Transformer shape = find_transformer("llama2_70b").value().value();
  const Case one;
  const PredictOptions options = {.precision = DType::fp16, .execution = Execution::engine};
  Parallelism way;
  way.tp = 8;
  for (auto _ : state) {
    const ForwardRun run = {.batch = 64, .seq_len = 1, .context = 1024};
    benchmark::DoNotOptimize(parallel_forward(shape, run, way, one.cluster, one.gpu, options)->time);
  }
}
BENCHMARK(llama2_70b_on_8_gpus)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rooftile
