#include "rooftile/predict/largest_batch.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "rooftile/base/try.hpp"

namespace rooftile {

Result<std::int64_t> largest_batch(const std::function<Result<Bytes>(std::int64_t)>& memory_at, Bytes capacity,
                                   const std::map<std::int64_t, Bytes>& known) {
  struct Known {
    std::int64_t batch;
    Bytes memory;
  };
  Known fitting{1, TRY(memory_at(1))};
  if (fitting.memory > capacity) return 0;
  std::optional<Known> beyond;
  // Where the line through both reaches the capacity; without a second point, twice as many.
  const auto guess = [&](const Known& from, const Known& to) {
    const double slope = (to.memory - from.memory).value() / static_cast<double>(to.batch - from.batch);
    if (!(slope > 0)) return 2 * fitting.batch;
    const double more = std::floor((capacity - fitting.memory).value() / slope);
    return fitting.batch + static_cast<std::int64_t>(std::min(more, static_cast<double>(kMostBatch)));
  };
  Known before = fitting;
  for (const auto& [batch, memory] : known) {
    if (memory > capacity) {
      beyond = Known{batch, memory};
      break;
    }
    if (batch > fitting.batch) before = std::exchange(fitting, Known{batch, memory});
  }
  // A line is exact as a rule: then the guess and its neighbour are all it takes. Where it is not, guesses alone might
  // creep.
  enum class Try { line, neighbour, middle } way = Try::line;
  bool fits = true;  // the last one tried
  while (fitting.batch < kMostBatch && (!beyond || beyond->batch - fitting.batch > 1)) {
    std::int64_t batch = 2 * fitting.batch;
    if (beyond && way == Try::middle) {
      batch = fitting.batch + (beyond->batch - fitting.batch) / 2;
    } else if (way == Try::neighbour) {
      batch = fits ? fitting.batch + 1 : beyond->batch - 1;
    } else if (beyond) {
      batch = guess(fitting, *beyond);
    } else if (before.batch < fitting.batch) {
      batch = guess(before, fitting);
    }
    const bool guessed = way == Try::line && (beyond || before.batch < fitting.batch);
    way = guessed ? Try::neighbour : way == Try::neighbour ? Try::middle : Try::line;
    const std::int64_t most = beyond ? beyond->batch - 1 : kMostBatch;
    batch = std::clamp(batch, fitting.batch + 1, most);
    const Known tried{batch, TRY(memory_at(batch))};
    fits = tried.memory <= capacity;
    if (fits) {
      before = std::exchange(fitting, tried);
    } else {
      beyond = tried;
    }
  }
  return fitting.batch;
}

}  // namespace rooftile
