#include "rooftile/report/step_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/parse_number.hpp"

namespace rooftile {
namespace {

std::string_view name_of(GpuStream stream) {
  constexpr std::array<std::string_view, kStreams> kNames = {"compute", "gradients and weights", "send", "host"};
  return kNames[static_cast<std::size_t>(stream)];
}

std::string_view name_of(RankGroup group) {
  constexpr std::array<std::string_view, 7> kNames = {"tensor",          "context", "expert",   "replicas",
                                                      "expert replicas", "ends",    "neighbour"};
  return kNames[static_cast<std::size_t>(group)];
}

std::string label_of(const StepTask& task) {
  switch (task.kind) {
    case StepTask::Kind::forward:
    case StepTask::Kind::backward:
      return fmt::format("{} {}", name_of(task.kind), task.micro_batch);
    case StepTask::Kind::gather:
    case StepTask::Kind::reduce:
      return fmt::format("{} from block {}", name_of(task.kind), task.block);
    case StepTask::Kind::send:
      return fmt::format("send {} {}", task.backward ? "gradients" : "activations", task.micro_batch);
    case StepTask::Kind::offload:
    case StepTask::Kind::fetch:
      return fmt::format("{} {}", name_of(task.kind), task.backward ? "gradients" : "activations");
    case StepTask::Kind::update:
    case StepTask::Kind::host_update:
      break;
  }
  return std::string(name_of(task.kind));
}

// A string as JSON has it.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The importer of Perfetto counts nanoseconds: rounded ones nest and follow each other as the times do.
std::int64_t nanoseconds(Seconds time) {
  constexpr double kNano = 1e9;
  return std::llround(time.value() * kNano);
}

std::string microseconds(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

struct Slice {
  std::int64_t start = 0, end = 0;
};

// Perfetto takes process and thread 0 for the kernel's idle ones, and a thread for the main one of the process of its
// number.
int process_of(int stage) { return stage + 1; }
int thread_of(int stage, GpuStream stream) {
  constexpr int kThousand = 1000;
  return process_of(stage) * kThousand + static_cast<int>(stream);
}

class TraceText {
 public:
  TraceText(const Gpu& gpu, const Parallelism& way, const StepTimeline& timeline)
      : gpu_(gpu), way_(way), timeline_(timeline), traced_(timeline.tasks.size()) {}

  std::string text(const std::string& model) {
    const int kernels = micro_batches_with_kernels();
    add("{{\"displayTimeUnit\":\"ms\",\"deviceProperties\":[{}],\n\"otherData\":{{", device());
    add("\"model\":{},\"way\":{},\"writer\":\"rooftile\"", quoted(model), quoted(print(way_)));
    if (kernels < way_.micro_batches) add(",\"kernels_of\":\"the first {} micro-batches\"", kernels);
    add("}},\n\"traceEvents\":[\n");
    for (int stage = 0; stage < way_.pp; ++stage) add_names(stage);
    for (std::size_t i = 0; i < timeline_.tasks.size(); ++i) add_task(i, timeline_.what[i].micro_batch < kernels);
    add_arrows();
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  template <class... Values>
  void add_event(fmt::format_string<Values...> format, Values&&... values) {
    if (!first_) text_ += ",\n";
    first_ = false;
    add(format, std::forward<Values>(values)...);
  }

  std::string device() const {
    const std::string& capability = gpu_.compute_capability;
    const std::size_t dot = capability.find('.');
    std::string numbers;
    if (dot != std::string::npos && parse_number(capability)) {
      numbers = fmt::format(",\"computeMajor\":{},\"computeMinor\":{}", capability.substr(0, dot),
                            capability.substr(dot + 1));
    }
    return fmt::format("{{\"id\":0,\"name\":{}{}}}", quoted(gpu_.name), numbers);
  }

  int first_rank(int stage) const { return stage * ranks_of_stage(way_); }

  void add_names(int stage) {
    const int first = first_rank(stage), last = first + ranks_of_stage(way_) - 1;
    const std::string ranks = first == last ? fmt::format("GPU {}", first) : fmt::format("GPUs {} to {}", first, last);
    const std::string name = way_.pp > 1 ? fmt::format("pipeline stage {} ({})", stage, ranks)
                                         : fmt::format("{}{}", ranks, first == last ? "" : ", all alike");
    const auto metadata = [&](const char* what, int thread, const std::string& args) {
      add_event(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{{}}}}})", what, process_of(stage), thread, args);
    };
    const int any = thread_of(stage, GpuStream::compute);
    metadata("process_name", any, "\"name\":" + quoted(name));
    metadata("process_sort_index", any, fmt::format("\"sort_index\":{}", stage));
    for (std::size_t i = 0; i < kStreams; ++i) {
      const auto stream = static_cast<GpuStream>(i);
      metadata("thread_name", thread_of(stage, stream), fmt::format("\"name\":\"{}\"", name_of(stream)));
      metadata("thread_sort_index", thread_of(stage, stream), fmt::format("\"sort_index\":{}", i));
    }
  }

  void add_slice(const StreamGraph::Task& task, const std::string& name, std::string_view category, const Slice& slice,
                 const std::string& args) {
    add_event(R"({{"name":{},"cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},"args":{{)", quoted(name), category,
              microseconds(slice.start), microseconds(slice.end - slice.start), process_of(task.gpu),
              thread_of(task.gpu, task.stream));
    add(R"("rank":{},"stream":{}{}}}}})", first_rank(task.gpu), static_cast<int>(task.stream), args);
  }

  // Slices of no length would end before an arrow finds them; no task that takes time is that short.
  void add_task(std::size_t i, bool with_kernels) {
    const StepTask& what = timeline_.what[i];
    const Slice slice = {nanoseconds(timeline_.times.start[i]), nanoseconds(timeline_.times.end[i])};
    if (slice.end <= slice.start) return;
    traced_[i] = true;
    std::string args = fmt::format(",\"micro_batch\":{},\"part\":{}", what.micro_batch, what.chunk);
    if (what.exchange) args += arguments_of(*what.exchange);
    if (what.flops > Flops(0)) args += fmt::format(",\"flops\":{}", what.flops.value());
    add_slice(timeline_.tasks[i], label_of(what), name_of(what.kind), slice, args);
    if (!with_kernels) return;
    last_end_ = slice.start;
    for (const PlacedPiece& piece : pieces_of(timeline_, i)) add_piece(timeline_.tasks[i], piece, slice);
  }

  static std::string arguments_of(const StepExchange& exchange) {
    return fmt::format(",\"collective\":\"{}\",\"among\":\"{}\",\"bytes\":{}", rooftile::name_of(exchange.kind),
                       name_of(exchange.among), exchange.bytes.value());
  }

  static std::string arguments_of(const PassKernel& kernel) {
    std::string args = fmt::format(",\"launches\":{},\"dram_bytes\":{},\"flops\":{},\"unit\":\"{}\"", kernel.launches,
                                   kernel.dram.value(), kernel.flops.value(), kernel.tensor ? "tensor" : "cuda");
    const auto extent = [&](const char* what, double count) {
      if (count >= 1) args += fmt::format(",\"{}\":[{:.0f},1,1]", what, count);
    };
    extent("grid", std::ceil(kernel.ctas));
    extent("block", kernel.threads);
    return args;
  }

  void add_piece(const StreamGraph::Task& task, const PlacedPiece& placed, const Slice& around) {
    Slice slice = {nanoseconds(placed.start), nanoseconds(placed.start + placed.time)};
    slice.start = std::clamp(slice.start, last_end_, around.end);
    slice.end = std::clamp(slice.end, slice.start, around.end);
    last_end_ = slice.end;
    if (slice.end == slice.start) return;
    const std::string block = fmt::format(",\"network_block\":{}", placed.block);
    if (placed.piece.exchange) {
      const StepExchange& exchange = *placed.piece.exchange;
      add_slice(task, std::string(rooftile::name_of(exchange.kind)), "exchange", slice, arguments_of(exchange) + block);
    } else {
      const PassKernel& kernel = placed.piece.kernel;
      add_slice(task, kernel.name, "kernel", slice, arguments_of(kernel) + block);
    }
  }

  void add_arrows() {
    std::size_t id = 0;
    for (const StreamGraph::Edge& edge : timeline_.edges) {
      const StreamGraph::Task &from = timeline_.tasks[edge.from], &to = timeline_.tasks[edge.to];
      const bool same = from.gpu == to.gpu && from.stream == to.stream;
      if (same || !traced_[edge.from] || !traced_[edge.to]) continue;
      const auto end = [&](const char* phase, const char* more, std::size_t i) {
        const StreamGraph::Task& task = timeline_.tasks[i];
        add_event(R"({{"name":"dependency","cat":"dependency","ph":"{}","id":{},"ts":{},"pid":{},"tid":{}{}}})", phase,
                  id, microseconds(nanoseconds(timeline_.times.start[i])), process_of(task.gpu),
                  thread_of(task.gpu, task.stream), more);
      };
      end("s", "", edge.from);
      end("f", ",\"bp\":\"e\"", edge.to);
      ++id;
    }
  }

  // As many as have kMostTracedPieces kernels and exchanges, and at least one.
  int micro_batches_with_kernels() const {
    std::vector<std::size_t> pieces(static_cast<std::size_t>(way_.micro_batches) + 1);
    for (const StepTask& task : timeline_.what) {
      const bool backward = task.kind == StepTask::Kind::backward;
      if (!backward && task.kind != StepTask::Kind::forward) continue;
      const auto& chunk = timeline_.chunks[static_cast<std::size_t>(task.chunk)];
      for (int i = 0; i < task.blocks; ++i) {
        const int block = backward ? task.block - i : task.block + i;
        const StepTimeline::Kind& kind = timeline_.kinds[chunk[static_cast<std::size_t>(block)]];
        pieces[static_cast<std::size_t>(task.micro_batch)] += (backward ? kind.backward : kind.forward).size();
      }
    }
    int count = 0;
    std::size_t sum = 0;
    while (count < way_.micro_batches &&
           (count == 0 || sum + pieces[static_cast<std::size_t>(count)] <= kMostTracedPieces)) {
      sum += pieces[static_cast<std::size_t>(count++)];
    }
    return count;
  }

  const Gpu& gpu_;
  const Parallelism& way_;
  const StepTimeline& timeline_;
  std::vector<bool> traced_;   // tasks that became a slice
  std::int64_t last_end_ = 0;  // of the piece before, or the start of its pass
  bool first_ = true;
  std::string text_;
};

}  // namespace

std::string step_trace(const std::string& model, const Gpu& gpu, const Parallelism& way, const StepTimeline& timeline) {
  return TraceText(gpu, way, timeline).text(model);
}

}  // namespace rooftile
