#include "rooftile/explore/explore_state.hpp"

#include <algorithm>

#include "rooftile/explore/design_block.hpp"

namespace rooftile {

std::uint64_t blocks_of(const DesignSpace& space) { return (space.size() + kBlockDesigns - 1) / kBlockDesigns; }

std::uint64_t designs_of(const DesignSpace& space, BlockRange blocks) {
  const std::uint64_t end = std::min(blocks.end * kBlockDesigns, space.size());
  return end - std::min(blocks.first * kBlockDesigns, end);
}

std::uint64_t designs_of(const DesignSpace& space, const BlockSet& blocks) {
  std::uint64_t sum = 0;
  for (const BlockRange& range : blocks.ranges()) sum += designs_of(space, range);
  return sum;
}

}  // namespace rooftile
