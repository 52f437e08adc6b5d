// What starting a kernel costs, by the host's clock from the first call until all is done. The kernel is one thread
// that counts, so nearly all of the time is the launch itself:
//   eager       launches queued one after the other and waited for at the end, a kernel's share
//   graph       the same kernels as one CUDA graph, launched once and waited for, a kernel's share
//   round_trip  one launch, waited for
#include <chrono>
#include <string>
#include <vector>

#include "rooftile/measure/cuda/micro/benchmarks.hpp"
#include "rooftile/measure/cuda/micro/device.cuh"

namespace rooftile::measure {
namespace {

constexpr int queue_lengths[] = {1, 10, 100, 1000};
constexpr int rounds = 20;  // of a repeat, so that the clock's ticks do not show

__global__ void count_launches(std::uint32_t* count) { ++*count; }

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void queue(Bench& bench, int kernels, std::uint32_t* count) {
  for (int i = 0; i < kernels; ++i) {
    bench.launch("an empty kernel", count_launches, {1, 1}, count);
  }
}

// Adds a point: seconds a kernel, when `run` launches `kernels` of them and waits.
void time_launches(Bench& bench, std::string_view variant, int kernels, std::uint32_t* count,
                   const std::function<void()>& run) {
  bench.clear(count, sizeof(*count));
  run();  // warm-up
  std::vector<double> seconds;
  for (int repeat = 0; repeat < bench.repeats() && bench.go(); ++repeat) {
    const double taken = seconds_of([&] {
      for (int round = 0; round < rounds; ++round) {
        run();
      }
    });
    seconds.push_back(taken / (rounds * static_cast<double>(kernels)));
  }
  const auto expected = static_cast<std::uint32_t>(kernels) * (1 + rounds * static_cast<std::uint32_t>(seconds.size()));
  if (bench.download(count, 1).front() != expected && !bench.refused()) {
    bench.refuse(Refusal::wrong_result, std::string(variant) + ": not every kernel ran");
  }
  bench.add(variant, kernels, seconds, "s");
}

void time_eager(Bench& bench) {
  auto* count = bench.allocate<std::uint32_t>(1);
  for (const int kernels : queue_lengths) {
    time_launches(bench, "eager", kernels, count, [&] {
      queue(bench, kernels, count);
      bench.wait("empty kernels");
    });
  }
}

GraphExec make_graph(Bench& bench, int kernels, std::uint32_t* count) {
  if (!bench.go()) {
    return {};
  }
  bench.need(check(cudaStreamBeginCapture(bench.stream(), cudaStreamCaptureModeThreadLocal), "recording a graph"));
  queue(bench, kernels, count);
  cudaGraph_t graph = nullptr;
  bench.need(check(cudaStreamEndCapture(bench.stream(), &graph), "recording a graph"));
  const Graph owner(graph);
  cudaGraphExec_t executable = nullptr;
  if (bench.go()) {
    bench.need(check(cudaGraphInstantiate(&executable, graph, 0), "making a graph"));
  }
  return GraphExec(executable);
}

void time_graph(Bench& bench) {
  auto* count = bench.allocate<std::uint32_t>(1);
  for (const int kernels : queue_lengths) {
    const GraphExec graph = make_graph(bench, kernels, count);
    time_launches(bench, "graph", kernels, count, [&] {
      if (graph.get() != nullptr && !bench.refused()) {
        bench.need(check(cudaGraphLaunch(graph.get(), bench.stream()), "launching a graph"));
      }
      bench.wait("a graph of empty kernels");
    });
  }
}

void time_round_trip(Bench& bench) {
  auto* count = bench.allocate<std::uint32_t>(1);
  time_launches(bench, "round_trip", 1, count, [&] {
    queue(bench, 1, count);
    bench.wait("an empty kernel");
  });
}

}  // namespace

Outcome<std::vector<Point>> run_launch(const Device&, const MicroOptions& options) {
  return run_parts("launch", options, {time_eager, time_graph, time_round_trip});
}

}  // namespace rooftile::measure
