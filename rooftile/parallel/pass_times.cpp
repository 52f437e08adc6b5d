#include "rooftile/parallel/pass_times.hpp"

#include "rooftile/collectives/collective.hpp"
#include "rooftile/parallel/replica_loss.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

PassKernel kernel_named(const char* name, const LayerEstimate& estimate, double share) {
  PassKernel kernel;
  kernel.name = name;
  kernel.time = estimate.time * share;
  kernel.launches = estimate.kernels;
  kernel.flops = estimate.flops * share;
  kernel.dram = estimate.traffic.at_dram() * share;
  return kernel;
}

RankGroup group_named(ParallelAxis axis) {
  switch (axis) {
    case ParallelAxis::tensor:
      break;
    case ParallelAxis::context:
      return RankGroup::context;
    case ParallelAxis::expert:
      return RankGroup::expert;
  }
  return RankGroup::tensor;
}

}  // namespace

PassTime PassTimes::backward(const Block& block) const {
  PassTime time = time_of(block.backward);
  time.computing += adding_up(block.weights.all()).time;
  return time;
}

Seconds PassTimes::exchange(CollectiveKind kind, Bytes bytes, const Group& group, int copies) const {
  return collective_time({kind, group.gpus, bytes, options_.predict.precision, copies}, gpu_, group).time;
}

Group PassTimes::group_of_axis(ParallelAxis axis) const {
  switch (axis) {
    case ParallelAxis::tensor:
      return group_of(cluster_, way_.tp, 1);
    case ParallelAxis::context:
      return group_of(cluster_, way_.cp, way_.tp);
    case ParallelAxis::expert:
      return group_of(cluster_, way_.ep, way_.expert_tp());
  }
  return {};
}

double PassTimes::loss() const { return blocks_.even ? 1 : 1 + replica_loss(way_.dp * way_.cp); }

Seconds PassTimes::time_of(const BlockPass& pass, const BlockExchange& one) const {
  Seconds taken = exchange(one.kind, one.bytes, group_of_axis(one.axis), one.copies);
  if (one.hidden) taken = std::max(taken - pass.computing, Seconds(0));
  if (options_.style.tensor_hidden && one.axis == ParallelAxis::tensor) taken = taken / 2;
  return taken;
}

PassTime PassTimes::time_of(const BlockPass& pass) const {
  PassTime time{pass.computing * loss(), pass.issuing * loss(), {}};
  for (const BlockExchange& one : pass.exchanges) {
    time.exchanging += time_of(pass, one);
    time.issuing += blocks_.host_call;
  }
  return time;
}

// Gradients to those of the micro-batches before; of shards only the GPU's own part, which is little.
PassKernel PassTimes::adding_up(double weights) const {
  constexpr std::int64_t kColumns = 1024;
  const auto rows = static_cast<std::int64_t>(weights) / kColumns;
  if (way_.micro_batches == 1 || way_.sharding == Sharding::all || rows == 0) return {};
  PredictOptions options = options_.predict;
  options.in_network = true;
  if (gradient() >= Bytes(4)) options.precision = DType::fp32;
  if (is_narrow_float(options.precision)) options.precision = kBesideNarrow;
  const StreamKind kind = options_.style.adding_products ? StreamKind::activation : StreamKind::add;
  const StreamLayer add = {.kind = kind, .rows = rows, .columns = kColumns};
  const auto others = static_cast<double>(way_.micro_batches - 1);
  return kernel_named("gradients/add", estimate(add, gpu_, options), others / static_cast<double>(way_.micro_batches));
}

// Mixed precision updates FP32 copies, whoever keeps them.
PassKernel PassTimes::update_kernel(double weights) const {
  if (weights < 1) return {};
  PredictOptions options = options_.predict;
  options.autocast = true;
  options.in_network = true;
  options.fused_update = options_.style.fused_update;
  return kernel_named("update", estimate_update(weights, gpu_, options), 1);
}

std::vector<StepPiece> PassTimes::backward_pieces(const Block& block) const {
  return pieces(block.backward, adding_up(block.weights.all()));
}

std::vector<StepPiece> PassTimes::pieces(const BlockPass& pass, const PassKernel& after) const {
  std::vector<StepPiece> pieces;
  const auto exchange_between = [&](const BlockExchange& one) {
    Collective sent{one.kind, group_of_axis(one.axis).gpus, one.bytes};
    const double all = share_sent(sent);
    sent.copies = one.copies;
    const Bytes bytes = one.bytes * (all > 0 ? share_sent(sent) / all : 1);  // each position once to a GPU
    pieces.push_back({time_of(pass, one), {}, StepExchange{group_named(one.axis), one.kind, bytes, one.hidden}});
  };
  std::vector<BlockExchange> shown;
  for (const BlockExchange& one : pass.exchanges) {
    if (one.hidden) {
      exchange_between(one);
    } else {
      shown.push_back(one);
    }
  }
  std::vector<PassKernel> kernels = pass.kernels;
  if (kernels.empty() && pass.computing > Seconds(0)) {
    kernels.push_back({.name = "kernels", .time = pass.computing, .flops = pass.flops});
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    PassKernel& kernel = kernels[i];
    kernel.time *= loss();
    const Seconds time = kernel.time;
    pieces.push_back({time, std::move(kernel), {}});
    while (next < shown.size() && (i + 1) * shown.size() >= (next + 1) * kernels.size())
      exchange_between(shown[next++]);
  }
  while (next < shown.size()) exchange_between(shown[next++]);
  if (after.time > Seconds(0)) pieces.push_back({after.time, after, {}});
  return pieces;
}

}  // namespace rooftile
