#include "rooftile/parallel/pipeline_order.hpp"

#include <algorithm>

namespace rooftile {

std::vector<PipelineStep> pipeline_order(const Parallelism& way, int stage) {
  const int stages = way.pp, parts = way.vp, micro_batches = static_cast<int>(way.micro_batches);
  const int total = micro_batches * parts;
  int warm_up = stages - stage - 1;
  if (parts > 1) warm_up = 2 * warm_up + (parts - 1) * stages;
  warm_up = std::min(warm_up, total);

  // Parts take turns, each for a round of as many micro-batches as there are stages.
  const auto step = [&](int i, bool backward) {
    const int in_round = i % (stages * parts);
    const int part = parts == 1 ? 0 : in_round / stages;
    const int micro_batch = parts == 1 ? i : i / (stages * parts) * stages + in_round % stages;
    return PipelineStep{backward, micro_batch, backward ? parts - 1 - part : part};
  };
  std::vector<PipelineStep> order;
  order.reserve(static_cast<std::size_t>(total) * 2);
  for (int i = 0; i < warm_up; ++i) order.push_back(step(i, false));
  for (int i = warm_up; i < total; ++i) {
    order.push_back(step(i, false));
    order.push_back(step(i - warm_up, true));
  }
  for (int i = total - warm_up; i < total; ++i) order.push_back(step(i, true));
  return order;
}

}  // namespace rooftile
