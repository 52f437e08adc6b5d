#include "rooftile/parallel/pipeline_chunks.hpp"

namespace rooftile {

std::vector<PipelineChunk> pipeline_chunks(const std::vector<std::size_t>& order, const Parallelism& way) {
  const auto parts = static_cast<std::size_t>(way.pp) * static_cast<std::size_t>(way.vp);
  if (parts == 1) return {order};
  const std::size_t layers = order.size() - 2;
  std::vector<PipelineChunk> chunks(parts);
  if (layers % parts != 0 && order.size() % parts == 0) {
    const std::size_t count = order.size() / parts;
    for (std::size_t i = 0; i < order.size(); ++i) chunks[i / count].push_back(order[i]);
    return chunks;
  }
  chunks.front().push_back(order.front());
  std::size_t next = 1;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t count = layers / parts + (i < layers % parts ? 1 : 0);
    for (std::size_t j = 0; j < count; ++j) chunks[i].push_back(order[next++]);
  }
  chunks.back().push_back(order.back());
  return chunks;
}

}  // namespace rooftile
