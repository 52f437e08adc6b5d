// The largest batch that fits a memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"

namespace rooftile {

constexpr std::int64_t kMostBatch = std::int64_t{1} << 20;

// At most kMostBatch; 0 where not even one sample fits. Memory grows with the batch, nearly in proportion, so that what
// two batches need tells about where to look: `memory_at` is called a few times. What is `known` from other searches
// shortens this one. Errors: those of `memory_at`.
Result<std::int64_t> largest_batch(const std::function<Result<Bytes>(std::int64_t)>& memory_at, Bytes capacity,
                                   const std::map<std::int64_t, Bytes>& known = {});

}  // namespace rooftile
