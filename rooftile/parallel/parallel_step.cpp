#include "rooftile/parallel/parallel_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/gpu/pcie.hpp"
#include "rooftile/parallel/pass_times.hpp"
#include "rooftile/parallel/pipeline_chunks.hpp"
#include "rooftile/parallel/pipeline_order.hpp"
#include "rooftile/parallel/rank_memory.hpp"
#include "rooftile/parallel/slow_gpus.hpp"

namespace rooftile {
namespace {

// CTAs of a collective that runs beside kernels: the channels of NCCL on GPUs that NVLink joins (2.18: 16 to 32, each
// of them a CTA on an SM of its own).
constexpr double kChannels = 16;
// ln of what a step of several GPUs errs by beyond its kernels and exchanges.
constexpr double kOwnError = 0.1;
// Of the bandwidth of processors' memory, what STREAM's Triad reaches, which passes over vectors as an update does:
// 340 to 350 of 409.6 GB/s on two EPYC 7742 (AMD, High Performance Computing Tuning Guide for EPYC 7002).
constexpr double kHostShare = 0.8;
constexpr double kExchangeError = 0.27;  // ln 1.31, of collective_time()

class StepBuilder {
 public:
  StepBuilder(const NetworkBlocks& blocks, const Parallelism& way, const GpuCluster& cluster, const Gpu& gpu,
              const ParallelOptions& options, std::vector<double> slower, bool timeline)
      : blocks_(blocks),
        way_(way),
        cluster_(cluster),
        gpu_(gpu),
        options_(options),
        slower_(std::move(slower)),
        times_(blocks, way, cluster, gpu, options),
        records_(timeline),
        chunks_(pipeline_chunks(blocks.order, way)) {
    for (const Block& block : blocks.kinds) {
      forward_.push_back(times_.forward(block));
      backward_.push_back(times_.backward(block));
    }
    std::array<std::optional<Seconds>, 2> known;  // in a node, across two
    for (int stage = 0; stage < way.pp && way.pp > 1; ++stage) {
      const Group pair = pair_of_stages(cluster, ranks_of_stage(way), stage, (stage + 1) % way.pp);
      std::optional<Seconds>& time = known[static_cast<std::size_t>(pair.nodes() - 1)];
      if (!time) time = times_.exchange(CollectiveKind::send, blocks.boundary, pair);
      sends_.push_back(*time);
    }
  }

  ParallelStep step(StepTimeline* timeline) {
    const Ends ends = timeline == nullptr ? steady_ends() : ends_of(way_.micro_batches, timeline);
    ParallelStep step;
    step.way = way_;
    step.time = ends.all;
    step.parts = parts(ends);
    step.memory = rank_memory(blocks_, way_, options_.predict);
    step.flops = flops() * static_cast<double>(way_.tp * way_.cp * way_.dp);
    if (blocks_.spread) {
      const double exchanged = (step.parts.exchanges + step.parts.gradients) / step.time;
      const double error =
          std::hypot((1 - exchanged) * std::log(*blocks_.spread), exchanged * kExchangeError, kOwnError);
      step.range = Interval{step.time * std::exp(-error), step.time * std::exp(error)};
    }
    return step;
  }

 private:
  // Of the last backward pass, and of all.
  struct Ends {
    Seconds computed, all;
  };

  Ends ends_of(std::int64_t micro_batches, StepTimeline* timeline) {
    graph_ = {};
    what_.clear();
    build(micro_batches);
    StreamTimes times = graph_.run(taken());
    Ends ends;
    ends.all = times.last;
    for (std::size_t i = 0; i < first_update_; ++i) {
      if (graph_.tasks()[i].stream == GpuStream::compute) ends.computed = std::max(ends.computed, times.end[i]);
    }
    if (timeline != nullptr) {
      timeline->tasks.assign(graph_.tasks().begin(), graph_.tasks().end());
      timeline->edges.assign(graph_.edges().begin(), graph_.edges().end());
      timeline->what = std::move(what_);
      timeline->times = std::move(times);
      describe(*timeline);
    }
    return ends;
  }

  void describe(StepTimeline& timeline) const {
    timeline.chunks = chunks_;
    for (const Block& block : blocks_.kinds) {
      timeline.kinds.push_back({block.name, times_.forward_pieces(block), times_.backward_pieces(block)});
    }
    for (int stage = 0; stage < way_.pp; ++stage) {
      timeline.updates.push_back(times_.update_kernel(updated(weights_of_stage(stage))));
    }
  }

  // Once the pipeline is full, each round of micro-batches takes as long as the one before: two rounds tell the others.
  Ends steady_ends() {
    const std::int64_t round = way_.pp, few = 2 * round + way_.micro_batches % round;
    if (way_.micro_batches <= few + round) return ends_of(way_.micro_batches, nullptr);
    const Ends first = ends_of(few, nullptr), second = ends_of(few + round, nullptr);
    const double rounds = static_cast<double>(way_.micro_batches - few) / static_cast<double>(round);
    return {first.computed + (second.computed - first.computed) * rounds,
            first.all + (second.all - first.all) * rounds};
  }

  // --- gradients and weights ---

  // Of as many GPUs as have the same weights; every GPU of context parallel ones has them, too.
  Group replicas() const { return group_of(cluster_, way_.dp * way_.cp, way_.tp); }

  // Of experts: every ep-th of those.
  Group expert_replicas() const { return group_of(cluster_, way_.expert_replicas(), way_.expert_tp() * way_.ep); }

  // --- the host's memory ---

  Seconds copy_time(Bytes bytes) const { return bytes / (cluster_.host_link * kCopyShare); }

  // The host reads and writes what the optimiser keeps and the FP32 weight, reads the gradient and writes the weight
  // that the GPU gets; each of the node's GPUs has its share of the memory's bandwidth.
  Seconds host_update_time(double weights) const {
    constexpr double kWide = 4, kThereAndBack = 2;
    const Bytes each = Bytes(kThereAndBack * kWide * (state_values(options_.predict.optimizer) + 1)) +
                       times_.gradient() + blocks_.weight;
    return each * weights / (cluster_.host_memory * kHostShare / cluster_.gpus_per_node);
  }

  Seconds update_time(double weights) const {
    return way_.offloads_optimizer() ? host_update_time(weights) : times_.update(weights);
  }

  bool replicated() const { return way_.dp * way_.cp > 1; }
  bool gathers() const { return way_.sharding == Sharding::all && replicated(); }
  Bytes gradient_bytes(double weights) const { return times_.gradient() * weights; }

  CollectiveKind reduction() const {
    return way_.sharding == Sharding::none ? CollectiveKind::all_reduce : CollectiveKind::reduce_scatter;
  }

  // --- the graph ---

  std::size_t add(int gpu, GpuStream stream, Seconds work, std::size_t after, const StepTask& task) {
    const std::size_t id = graph_.add(gpu, stream, work, {after});
    if (stream == GpuStream::compute) last_compute_[static_cast<std::size_t>(gpu)] = id;
    if (stream == GpuStream::reduce) last_reduce_[static_cast<std::size_t>(gpu)] = id;
    if (records_) what_.push_back(task);
    return id;
  }

  // Of the host, in one direction: receives from one neighbour, sends to the other.
  Seconds handing_over(std::size_t part) const {
    const int neighbours = (part > 0 ? 1 : 0) + (part + 1 < chunks_.size() ? 1 : 0);
    return options_.style.hand_over * neighbours;
  }

  // Forward to the next stage, or backward to the one before.
  Seconds send_time(int stage, bool backward) const {
    return sends_[static_cast<std::size_t>(backward ? (stage + way_.pp - 1) % way_.pp : stage)];
  }

  // Blocks that are computed between two exchanges: all of a chunk, or as many as fill a bucket.
  struct Segment {
    Seconds work;
    HeldWeights weights;
    Flops flops;
    int first = 0, count = 0;
  };

  // `cut` where a bucket is full, or, of activations that leave for the host, after each block.
  std::vector<Segment> segments(std::size_t part, bool backward, bool cut) const {
    const PipelineChunk& chunk = chunks_[part];
    std::vector<Segment> segments;
    PassTime sum;
    sum.issuing = handing_over(part);
    Segment open;
    const auto close = [&] {
      open.work = sum.total();
      segments.push_back(open);
      open = {}, sum = {};
    };
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const std::size_t place = backward ? chunk.size() - 1 - i : i, kind = chunk[place];
      const PassTime& time = backward ? backward_[kind] : forward_[kind];
      const Block& block = blocks_.kinds[kind];
      if (open.count++ == 0) open.first = static_cast<int>(place);
      sum.computing += time.computing * slower_[part % slower_.size()], sum.issuing += time.issuing,
          sum.exchanging += time.exchanging;
      open.weights += block.weights;
      open.flops += backward ? block.backward.flops : block.forward.flops;
      if (way_.offloads_activations() || (cut && gradient_bytes(open.weights.all()) >= options_.style.bucket)) close();
    }
    if (segments.empty() || sum.total() > Seconds(0) || open.weights.all() > 0) close();
    return segments;
  }

  // Runs a chunk once; what comes before it is `after`. Returns the last task on the compute stream.
  std::size_t run_chunk(int stage, int chunk, const PipelineStep& at, std::size_t after, bool reduces) {
    const bool offloads = at.backward && way_.offloads_optimizer();
    const bool cut = gathers() || (reduces && options_.style.overlapped) || offloads;
    StepTask task;
    task.kind = at.backward ? StepTask::Kind::backward : StepTask::Kind::forward;
    task.micro_batch = at.micro_batch, task.chunk = chunk, task.backward = at.backward;
    std::size_t last = StreamGraph::kNoTask, before = StreamGraph::kNoTask;
    for (const Segment& segment : segments(static_cast<std::size_t>(chunk), at.backward, cut)) {
      task.block = segment.first, task.blocks = segment.count;
      std::size_t gathered = StreamGraph::kNoTask;
      if (gathers()) {  // at most two ahead of what is computed (limit_all_gathers)
        StepTask gather = task;
        gather.kind = StepTask::Kind::gather;
        gathered = add_exchange(stage, CollectiveKind::all_gather, blocks_.weight, segment.weights, before, gather);
      }
      std::size_t fetched = StreamGraph::kNoTask;
      if (way_.offloads_activations() && at.backward) {
        fetched = add_copy(stage, StepTask::Kind::fetch, kept(segment), before, task);
      }
      task.flops = segment.flops;
      const std::size_t computed = add(stage, GpuStream::compute, segment.work, after, task);
      graph_.add_dependency(computed, gathered);
      graph_.add_dependency(computed, fetched);
      if (way_.offloads_activations() && !at.backward) {
        add_copy(stage, StepTask::Kind::offload, kept(segment), computed, task);
      }
      before = last, last = computed, after = StreamGraph::kNoTask;
      std::size_t ready = computed;
      if (reduces && cut && segment.weights.all() > 0 && replicated()) {
        StepTask reduce = task;
        reduce.kind = StepTask::Kind::reduce, reduce.flops = {};
        ready = add_exchange(stage, reduction(), times_.gradient(), segment.weights, computed, reduce);
      }
      if (offloads && segment.weights.all() > 0) {
        add_copy(stage, StepTask::Kind::offload, gradient_bytes(updated(segment.weights)), ready, task);
      }
    }
    return last;
  }

  void build(std::int64_t count) {
    const int stages = way_.pp, parts = stages * way_.vp;
    Parallelism way = way_;
    way.micro_batches = count;
    const auto micro_batches = static_cast<std::size_t>(count);
    last_compute_.assign(static_cast<std::size_t>(stages), StreamGraph::kNoTask);
    last_reduce_ = last_compute_;
    const auto unknown = std::vector<std::size_t>(micro_batches, StreamGraph::kNoTask);
    // Tasks of a stage must be added in its order, and may wait for others that are added later.
    struct Wait {
      std::size_t task;
      bool backward;
      int chunk;
      std::size_t micro_batch;
    };
    std::vector<std::vector<std::size_t>> forward(static_cast<std::size_t>(parts), unknown), backward = forward;
    std::vector<Wait> waits;
    for (int stage = 0; stage < stages; ++stage) {
      for (const PipelineStep& at : pipeline_order(way, stage)) {
        const int chunk = at.part * stages + stage;
        const auto micro_batch = static_cast<std::size_t>(at.micro_batch);
        const bool last_time = micro_batch + 1 == micro_batches;
        // Gradients that the host adds up are exchanged each time, those of a GPU with the last micro-batch.
        const bool reduces = at.backward && replicated() && (last_time || gathers() || way_.offloads_optimizer());
        const std::size_t first = graph_.tasks().size();
        const std::size_t ran = run_chunk(stage, chunk, at, StreamGraph::kNoTask, reduces);
        std::size_t entry = first;  // the first on the compute stream
        while (graph_.tasks()[entry].stream != GpuStream::compute) ++entry;
        waits.push_back({entry, at.backward, chunk, micro_batch});
        std::size_t handed = ran;
        const bool hands_on = at.backward ? chunk > 0 : chunk + 1 < parts;
        if (hands_on && stages > 1) {
          StepTask send;
          send.kind = StepTask::Kind::send, send.micro_batch = at.micro_batch, send.chunk = chunk;
          send.bytes = blocks_.boundary, send.backward = at.backward;
          send.exchange = StepExchange{RankGroup::neighbour, CollectiveKind::send, send.bytes};
          handed = add(stage, GpuStream::send, send_time(stage, at.backward), ran, send);
        }
        (at.backward ? backward : forward)[static_cast<std::size_t>(chunk)][micro_batch] = handed;
      }
    }
    for (const Wait& wait : waits) {
      const auto chunk = static_cast<std::size_t>(wait.chunk);
      if (!wait.backward) {
        if (wait.chunk > 0) graph_.add_dependency(wait.task, forward[chunk - 1][wait.micro_batch]);
      } else if (wait.chunk + 1 < parts) {
        graph_.add_dependency(wait.task, backward[chunk + 1][wait.micro_batch]);
      }
    }
    first_update_ = graph_.tasks().size();
    for (int stage = 0; stage < stages; ++stage) finish(stage);
  }

  // Of weights or their gradients, `each` of that size: what all replicas have, then experts among those that have the
  // same ones. Returns the last task, `after` where there is nothing to exchange.
  std::size_t add_exchange(int stage, CollectiveKind kind, Bytes each, const HeldWeights& held, std::size_t after,
                           StepTask task) {
    std::size_t last = after;
    const auto add_among = [&](RankGroup among, const Group& group, double weights) {
      if (weights == 0 || group.gpus == 1) return;
      task.bytes = each * weights;
      task.exchange = StepExchange{among, kind, task.bytes};
      last = add(stage, GpuStream::reduce, times_.exchange(kind, task.bytes, group), last, task);
    };
    add_among(RankGroup::replicas, replicas(), held.shared);
    add_among(RankGroup::expert_replicas, expert_replicas(), held.experts);
    return last;
  }

  std::size_t add_copy(int stage, StepTask::Kind kind, Bytes bytes, std::size_t after, const StepTask& of) {
    StepTask copy = of;
    copy.kind = kind, copy.bytes = bytes, copy.flops = {};
    return add(stage, GpuStream::host, copy_time(bytes), after, copy);
  }

  // Activations of a segment's layers, which wait for the backward pass.
  Bytes kept(const Segment& segment) const { return blocks_.activations_next * static_cast<double>(segment.count); }

  // Its place among the parts of all stages.
  std::size_t chunk_at(int part, int stage) const {
    return static_cast<std::size_t>(part) * static_cast<std::size_t>(way_.pp) + static_cast<std::size_t>(stage);
  }

  HeldWeights weights_of_stage(int stage) const {
    HeldWeights weights;
    for (int part = 0; part < way_.vp; ++part) {
      for (const std::size_t kind : chunks_[chunk_at(part, stage)]) {
        weights += blocks_.kinds[kind].weights;
      }
    }
    return weights;
  }

  // Whatever was not exchanged on the way, and the update.
  void finish(int stage) {
    const HeldWeights held = weights_of_stage(stage);
    const std::size_t last = last_compute_[static_cast<std::size_t>(stage)];
    std::size_t last_reduce = last_reduce_[static_cast<std::size_t>(stage)];
    StepTask task;
    task.chunk = stage;
    if (replicated() && !gathers() && !options_.style.overlapped && !way_.offloads_optimizer()) {
      task.kind = StepTask::Kind::reduce;
      last_reduce = add_exchange(stage, reduction(), times_.gradient(), held, last, task);
    }
    const bool ends = stage == 0 || stage + 1 == way_.pp;
    if (way_.pp > 1 && ends && blocks_.tied > 0) {  // the first and the last stage have the table of words
      task.kind = StepTask::Kind::reduce, task.bytes = gradient_bytes(blocks_.tied);
      task.exchange = StepExchange{RankGroup::ends, CollectiveKind::all_reduce, task.bytes};
      const Group pair = pair_of_stages(cluster_, ranks_of_stage(way_), 0, way_.pp - 1);
      const Seconds time = times_.exchange(CollectiveKind::all_reduce, task.bytes, pair);
      const std::size_t shared = add(stage, GpuStream::reduce, time, last, task);
      graph_.add_dependency(shared, last_reduce);
      last_reduce = shared;
    }
    const double weights = updated(held);
    task = {};
    task.kind = StepTask::Kind::update, task.chunk = stage;
    std::size_t update = last;
    if (way_.offloads_optimizer()) {
      task.kind = StepTask::Kind::host_update;
      update = add(stage, GpuStream::host, host_update_time(weights), last, task);
      graph_.add_dependency(update, last_reduce);
      update = add_copy(stage, StepTask::Kind::fetch, blocks_.weight * weights, update, task);
    } else {
      update =
          add(stage, GpuStream::compute, update_time(weights) * slower_[static_cast<std::size_t>(stage)], last, task);
      graph_.add_dependency(update, last_reduce);
    }
    if (replicated() && way_.sharding != Sharding::none && !gathers()) {
      task.kind = StepTask::Kind::gather;
      add_exchange(stage, CollectiveKind::all_gather, blocks_.weight, held, update, task);
    }
  }

  // Of a stage's weights, those that a GPU updates.
  double updated(const HeldWeights& weights) const {
    return way_.sharding != Sharding::none ? shard_of(weights, way_) : weights.all();
  }

  double taken() const { return std::min(0.5, kChannels / gpu_.sm_count); }

  // --- what came of it ---

  // Of the model: what is computed again does not count.
  Flops flops() const {
    Flops flops;
    for (const std::size_t kind : blocks_.order) {
      const Block& block = blocks_.kinds[kind];
      flops += block.forward.flops + block.backward.flops - block.backward.again;
    }
    return flops * static_cast<double>(way_.micro_batches);
  }

  // Of the stage that computes the most.
  StepParts parts(const Ends& ends) const {
    StepParts most;
    for (int stage = 0; stage < way_.pp; ++stage) {
      const StepParts own = computed_by(stage);
      if (own.computing > most.computing) most = own;
    }
    const Seconds busy = most.computing + most.exchanges + most.issuing;
    const Seconds rest = std::max(ends.all - busy - most.update, Seconds(0));
    if (way_.pp > 1) most.pipeline = std::clamp(ends.computed - busy, Seconds(0), rest);
    most.gradients = rest - most.pipeline;
    return most;
  }

  StepParts computed_by(int stage) const {
    StepParts own;
    const double slower = slower_[static_cast<std::size_t>(stage)];
    for (int part = 0; part < way_.vp; ++part) {
      const auto chunk = chunk_at(part, stage);
      own.issuing += handing_over(chunk) * 2;
      for (const std::size_t kind : chunks_[chunk]) {
        for (const PassTime& time : {forward_[kind], backward_[kind]}) {
          own.computing += time.computing * slower, own.exchanges += time.exchanging, own.issuing += time.issuing;
        }
      }
    }
    own.issuing = std::max(own.issuing - own.computing - own.exchanges, Seconds(0));
    for (Seconds* time : {&own.computing, &own.exchanges, &own.issuing})
      *time *= static_cast<double>(way_.micro_batches);
    own.update = update_time(updated(weights_of_stage(stage))) * (way_.offloads_optimizer() ? 1 : slower);
    return own;
  }

  const NetworkBlocks& blocks_;
  const Parallelism& way_;
  const GpuCluster& cluster_;
  const Gpu& gpu_;
  const ParallelOptions& options_;
  std::vector<double> slower_;  // how much longer each stage computes
  PassTimes times_;
  bool records_;
  std::vector<PipelineChunk> chunks_;
  std::vector<PassTime> forward_, backward_;  // by kind
  std::vector<Seconds> sends_;                // from each stage to the next, from the last to the first
  StreamGraph graph_;
  std::vector<StepTask> what_;
  std::vector<std::size_t> last_compute_, last_reduce_;  // task of each stage
  std::size_t first_update_ = 0;                         // tasks from here on follow the last backward pass
};

}  // namespace

Result<ParallelStep> parallel_step(const NetworkBlocks& blocks, const Parallelism& way, const GpuCluster& cluster,
                                   const Gpu& gpu, const ParallelOptions& options, StepTimeline* timeline) {
  if (way.gpus() > cluster.gpus()) {
    return fail(ErrorCode::usage,
                fmt::format("{} GPUs are more than the {} of {}", way.gpus(), cluster.gpus(), cluster.id));
  }
  if (way.offload != Offload::none &&
      (cluster.host_link <= BytesPerSecond(0) || cluster.host_memory <= BytesPerSecond(0))) {
    return fail(ErrorCode::unsupported,
                fmt::format("offload {} needs host_memory and host_link of {}, which its file does not give",
                            name_of(way.offload), cluster.id));
  }
  TRY(check(options.slow, way));
  const std::size_t parts = static_cast<std::size_t>(way.pp) * static_cast<std::size_t>(way.vp);
  const std::size_t count = blocks.order.size();
  if (way.pp > 1 && parts + 2 > count && count % parts != 0) {
    return fail(ErrorCode::unsupported, "pipeline stages are cut from transformers with a layer for each");
  }
  const std::vector<std::vector<double>> slower = slower_stages(way, options.slow);
  const auto step = [&](const std::vector<double>& factors, StepTimeline* into) {
    return StepBuilder(blocks, way, cluster, gpu, options, factors, into != nullptr).step(into);
  };
  if (slower.size() == 1) return step(slower.front(), timeline);
  std::vector<ParallelStep> steps;
  for (const std::vector<double>& factors : slower) steps.push_back(step(factors, nullptr));
  const auto slowest =
      std::max_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  if (timeline == nullptr) return *slowest;
  return step(slower[static_cast<std::size_t>(slowest - steps.begin())], timeline);
}

}  // namespace rooftile
