#include "rooftile/explore/explore.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace rooftile {

Result<ExploreResults> explore(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options) {
  const auto evaluation = [&] {
    return DesignEvaluation::make(evaluator, space.base, space.constraints, options.costs);
  };
  if (auto possible = evaluation(); !possible) return tl::unexpected(possible.error());
  const std::uint64_t size = space.size();
  const bool layers =
      std::any_of(options.sinks.begin(), options.sinks.end(), [](const RowSink* s) { return s->wants_layers(); });
  ExploreResults total(space, options.results);
  OrderedWriter writer(options.sinks, options.progress, options.threads);
  std::atomic<std::uint64_t> next = 0;
  std::mutex merging;
  const auto work = [&] {
    DesignEvaluation designs = std::move(*evaluation());
    ExploreResults mine(space, options.results);
    DesignBlock block = empty_block(space);
    OutcomeBlock outcome = designs.outcome(layers);
    while (!writer.failed() && !(options.stop != nullptr && *options.stop)) {
      const std::uint64_t number = next++;
      if (number >= (size + kBlockDesigns - 1) / kBlockDesigns) break;
      const std::uint64_t first = number * kBlockDesigns;
      block.count = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockDesigns, size - first));
      fill(space, first, block);
      designs.evaluate(block, outcome);
      mine.add(block, outcome);
      std::vector<std::string> texts = writer.texts();
      for (std::size_t s = 0; s < texts.size(); ++s) options.sinks[s]->encode(block, outcome, texts[s]);
      writer.write(number, std::move(texts), block.count);
    }
    const std::lock_guard<std::mutex> lock(merging);
    total.merge(mine);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (writer.error()) return tl::unexpected(*writer.error());
  return total;
}

}  // namespace rooftile
