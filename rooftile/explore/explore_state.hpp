// How far an exploration has come: what is done and what came of it. Enough to go on from.
#pragma once

#include <cstdint>

#include "rooftile/explore/block_set.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

struct ExploreState {
  ExploreResults results;  // of the designs of `done`
  BlockSet done;
};

// The blocks that hold a space.
std::uint64_t blocks_of(const DesignSpace& space);

// The designs in blocks of a space; only its last block is not full.
std::uint64_t designs_of(const DesignSpace& space, BlockRange blocks);
std::uint64_t designs_of(const DesignSpace& space, const BlockSet& blocks);

}  // namespace rooftile
