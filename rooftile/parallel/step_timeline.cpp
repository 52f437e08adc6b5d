#include "rooftile/parallel/step_timeline.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rooftile {
namespace {

// The pieces one after another, as if nothing held them up.
std::vector<PlacedPiece> pieces_in_order(const StepTimeline& timeline, std::size_t task) {
  const StepTask& what = timeline.what[task];
  std::vector<PlacedPiece> placed;
  Seconds at;
  const auto add = [&](StepPiece piece, int block) {
    const Seconds time = piece.time;
    placed.push_back({std::move(piece), block, at, time});
    at += time;
  };
  if (what.kind == StepTask::Kind::update) {
    const PassKernel& update = timeline.updates[static_cast<std::size_t>(what.chunk)];
    add({update.time, update, {}}, 0);
    return placed;
  }
  const bool backward = what.kind == StepTask::Kind::backward;
  if (!backward && what.kind != StepTask::Kind::forward) return {};
  const auto& chunk = timeline.chunks[static_cast<std::size_t>(what.chunk)];
  for (int i = 0; i < what.blocks; ++i) {
    const int block = backward ? what.block - i : what.block + i;
    const StepTimeline::Kind& kind = timeline.kinds[chunk[static_cast<std::size_t>(block)]];
    for (const StepPiece& piece : backward ? kind.backward : kind.forward) add(piece, block);
  }
  return placed;
}

}  // namespace

std::string_view name_of(StepTask::Kind kind) {
  constexpr std::array<std::string_view, 9> kNames = {"forward", "backward", "gather", "reduce",     "send",
                                                      "update",  "offload",  "fetch",  "host update"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<PlacedPiece> pieces_of(const StepTimeline& timeline, std::size_t task) {
  std::vector<PlacedPiece> placed = pieces_in_order(timeline, task);
  const Seconds start = timeline.times.start[task], all = timeline.times.end[task] - start;
  const Seconds work = timeline.tasks[task].work;
  const Seconds sum = placed.empty() ? Seconds(0) : placed.back().start + placed.back().time;
  if (!(sum > Seconds(0) && work > Seconds(0))) return {};
  const double apart = all / sum, slower = std::min(all / work, apart);
  for (PlacedPiece& piece : placed) {
    piece.start = start + piece.start * apart;
    piece.time = piece.time * slower;
  }
  return placed;
}

std::vector<int> ranks_of(const Parallelism& way, RankGroup group, int rank) {
  const int stage = ranks_of_stage(way);
  const auto every = [&](int count, int stride) {
    const int first = rank - rank / stride % count * stride;
    std::vector<int> ranks;
    for (int i = 0; i < count; ++i) ranks.push_back(first + i * stride);
    return ranks;
  };
  switch (group) {
    case RankGroup::tensor:
      return every(way.tp, 1);
    case RankGroup::context:
      return every(way.cp, way.tp);
    case RankGroup::expert:
      return every(way.ep, way.expert_tp());
    case RankGroup::replicas:
      return every(way.dp * way.cp, way.tp);
    case RankGroup::expert_replicas:
      return every(way.expert_replicas(), way.expert_tp() * way.ep);
    case RankGroup::ends:
      return {rank % stage, rank % stage + stage * (way.pp - 1)};
    case RankGroup::neighbour:
      break;
  }
  return {};
}

}  // namespace rooftile
