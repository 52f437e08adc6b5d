#include "rooftile/measure/cuda/layers/timing.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "rooftile/measure/layer_repeat.hpp"

namespace rooftile::measure {
namespace {

constexpr std::size_t kAlignment = 256;  // what cudaMalloc gives, and cuBLASLt counts on
constexpr double kMemoryShare = 0.4;     // of free memory that rotation may take

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::size_t set_bytes(const PreparedLayer& layer) {
  std::size_t bytes = 0;
  for (const auto* list : {&layer.inputs, &layer.outputs}) {
    for (const TensorSpec& spec : *list) {
      bytes += aligned(bytes_of(spec));
    }
  }
  for (const std::size_t state : layer.state_bytes) {
    bytes += aligned(state);
  }
  return bytes;
}

Outcome<double> free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  return check(cudaMemGetInfo(&free, &total), "asking for free memory").map([&] { return static_cast<double>(free); });
}

std::string too_large(const char* what, std::size_t bytes) {
  return std::string(what) + " of " + std::to_string(bytes >> 20) + " MiB do not fit the GPU's memory";
}

// Runs `first` to `first + count - 1`, captured into a graph.
Outcome<GraphExec> capture(LoadedLayer& layer, int count, cudaStream_t stream) {
  if (auto begun = check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a graph");
      !begun) {
    return tl::unexpected(begun.error());
  }
  Outcome<void> queued;
  for (int i = 0; i < count && queued; ++i) {
    queued = layer.run(i);
  }
  cudaGraph_t raw = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &raw);
  const Graph graph(raw);
  if (auto done = check(ended, "capturing a graph"); !done) {
    return tl::unexpected(done.error());
  }
  if (!queued) {
    return tl::unexpected(queued.error());
  }
  cudaGraphExec_t executable = nullptr;
  return check(cudaGraphInstantiate(&executable, graph.get(), 0), "making a graph").map([&] {
    return GraphExec(executable);
  });
}

// A way to queue a whole repeat: the graph, or the runs one by one.
struct Repeat {
  GraphExec graph;
  int runs = 1;

  Outcome<void> queue(LoadedLayer& layer, cudaStream_t stream) const {
    if (graph.get() != nullptr) {
      return check(cudaGraphLaunch(graph.get(), stream), "launching a graph");
    }
    for (int i = 0; i < runs; ++i) {
      if (auto done = layer.run(i); !done) {
        return done;
      }
    }
    return {};
  }
};

// Seconds of each of `count` repeats, queued without a pause behind one that warms up: the GPU has work while the host
// queues the next repeat, so that the host's time counts only where it needs longer than the GPU.
Outcome<std::vector<double>> time_repeats(LoadedLayer& layer, const Repeat& repeat, int count, cudaStream_t stream) {
  std::vector<Event> ends;  // of the repeat that warms up, and of each that counts
  for (int i = 0; i <= count; ++i) {
    auto end = make_event();
    if (!end) {
      return tl::unexpected(end.error());
    }
    ends.push_back(std::move(*end));
  }
  for (const Event& end : ends) {
    const auto queued = repeat.queue(layer, stream).and_then([&] {
      return check(cudaEventRecord(end.get(), stream), "recording an event");
    });
    if (!queued) {
      return tl::unexpected(queued.error());
    }
  }
  std::vector<double> times;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const auto seconds = seconds_between(ends[i - 1], ends[i]);
    if (!seconds) {
      return tl::unexpected(seconds.error());
    }
    times.push_back(*seconds);
  }
  return times;
}

// Seconds of one run by the repeat that follows one to warm up.
Outcome<double> run_seconds(LoadedLayer& layer, const Repeat& repeat, cudaStream_t stream) {
  return time_repeats(layer, repeat, 1, stream).map([&](const std::vector<double>& times) {
    return times.front() / repeat.runs;
  });
}

// What cannot be captured runs eagerly; a GPU that is lost says so again there.
Repeat make_repeat(LoadedLayer& layer, int runs, cudaStream_t stream) {
  Repeat repeat;
  repeat.runs = runs;
  if (auto graph = capture(layer, runs, stream)) {
    repeat.graph = std::move(*graph);
  }
  return repeat;
}

}  // namespace

Outcome<LoadedLayer> LoadedLayer::load(Prepared layer, const RunnerOptions& options, const LayerContext& context) {
  const std::size_t one = set_bytes(*layer);
  const auto free = free_memory();
  if (!free) {
    return tl::unexpected(free.error());
  }
  const double rest = *free - static_cast<double>(layer->workspace_bytes);
  if (static_cast<double>(one) > rest) {
    return tl::unexpected(Refused{Refusal::out_of_memory, too_large("operands", one + layer->workspace_bytes)});
  }
  const int sets = options.warm ? 1
                                : rotation_sets(static_cast<double>(one), static_cast<double>(context.l2_bytes),
                                                kMemoryShare * rest);
  LoadedLayer loaded;
  loaded.layer_ = std::move(layer);
  loaded.stream_ = context.stream;
  auto memory = Buffer<std::byte>::make(one * static_cast<std::size_t>(sets));
  auto workspace = Buffer<std::byte>::make(loaded.layer_->workspace_bytes);
  if (!memory || !workspace) {
    return tl::unexpected(memory ? workspace.error() : memory.error());
  }
  loaded.memory_ = std::move(*memory);
  loaded.workspace_ = std::move(*workspace);
  std::byte* next = loaded.memory_.get();
  for (int set = 0; set < sets; ++set) {
    const std::uint64_t seed = options.seed * 1000003 + static_cast<std::uint64_t>(set) * 101;
    if (auto placed = loaded.place(next, seed); !placed) {
      return tl::unexpected(placed.error());
    }
  }
  return loaded.wait().map([&] { return std::move(loaded); });
}

Outcome<void> LoadedLayer::place(std::byte*& next, std::uint64_t seed) {
  OperandSet set;
  const auto take = [&](std::size_t bytes) {
    std::byte* const taken = next;
    next += aligned(bytes);
    return static_cast<void*>(taken);
  };
  for (const TensorSpec& spec : layer_->inputs) {
    set.inputs.push_back({spec, take(bytes_of(spec))});
    if (auto filled = fill(set.inputs.back(), ++seed, stream_); !filled) {
      return filled;
    }
  }
  for (const TensorSpec& spec : layer_->outputs) {
    set.outputs.push_back({spec, take(bytes_of(spec))});
    const Tensor& output = set.outputs.back();
    if (auto cleared = check(cudaMemsetAsync(output.data, 0, bytes_of(spec), stream_), "clearing a result"); !cleared) {
      return cleared;
    }
  }
  for (const std::size_t bytes : layer_->state_bytes) {
    set.state.push_back(take(bytes));
    if (auto cleared = check(cudaMemsetAsync(set.state.back(), 0, bytes, stream_), "clearing a state"); !cleared) {
      return cleared;
    }
  }
  set.workspace = workspace_.get();
  sets_.push_back(std::move(set));
  return layer_->prepare(sets_.back(), stream_);
}

Outcome<void> LoadedLayer::run(int index) {
  return layer_->run(sets_[static_cast<std::size_t>(index) % sets_.size()], stream_);
}

Outcome<void> LoadedLayer::wait() const { return check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }

Outcome<double> LoadedLayer::verify() {
  const OperandSet& set = sets_.front();
  for (const Tensor& output : set.outputs) {
    if (output.spec.accumulated) {
      continue;
    }
    if (auto poisoned = poison(output, stream_); !poisoned) {
      return tl::unexpected(poisoned.error());
    }
  }
  if (auto done = run(0).and_then([&] { return wait(); }); !done) {
    return tl::unexpected(done.error());
  }
  for (const Tensor& output : set.outputs) {
    const auto bad = count_not_finite(output, stream_);
    if (!bad) {
      return tl::unexpected(bad.error());
    }
    if (*bad > 0) {
      return tl::unexpected(Refused{Refusal::wrong_result, std::to_string(*bad) + " of " +
                                                               std::to_string(output.spec.count) +
                                                               " elements of the result are not finite"});
    }
  }
  const auto error = layer_->error(set, stream_);
  if (error && !(*error <= layer_->error_limit)) {
    return tl::unexpected(
        Refused{Refusal::wrong_result,
                fmt::format("the result is off by {:.2g} of its size, more than {:.2g}", *error, layer_->error_limit)});
  }
  return error;
}

Outcome<RunTimes> time_runs(LoadedLayer& layer, const RunnerOptions& options, cudaStream_t stream) {
  constexpr int kFirstRuns = 4;
  auto once = run_seconds(layer, Repeat{GraphExec(), kFirstRuns}, stream);
  if (!once) {
    return tl::unexpected(once.error());
  }
  Repeat repeat = make_repeat(layer, runs_per_repeat(*once, options.least_seconds, layer.sets()), stream);
  if (repeat.graph.get() != nullptr) {
    // Queued one by one, short runs take as long as the host needs to queue them; from a graph more fit into a repeat.
    once = run_seconds(layer, repeat, stream);
    if (!once) {
      return tl::unexpected(once.error());
    }
    if (*once * repeat.runs < 0.9 * options.least_seconds) {
      repeat = make_repeat(layer, runs_per_repeat(*once, options.least_seconds, layer.sets()), stream);
    }
  }
  auto seconds = time_repeats(layer, repeat, options.repeats, stream);
  if (!seconds) {
    return tl::unexpected(seconds.error());
  }
  for (double& time : *seconds) {
    time *= 1e6 / repeat.runs;
  }
  return RunTimes{summarise(std::move(*seconds)), repeat.graph.get() != nullptr ? "graph" : "eager",
                  std::min(repeat.runs, layer.sets())};
}

}  // namespace rooftile::measure
