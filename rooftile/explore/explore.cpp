#include "rooftile/explore/explore.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/explore/block_set.hpp"
#include "rooftile/explore/common_state.hpp"

namespace rooftile {

Result<ExploreState> explore_blocks(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options,
                                    const BlockSet& blocks, ExploreState from) {
  const auto evaluation = [&] {
    return DesignEvaluation::make(evaluator, space.base, space.constraints, options.costs);
  };
  TRY(evaluation());
  const BlockList list(blocks);
  const bool layers =
      std::any_of(options.sinks.begin(), options.sinks.end(), [](const RowSink* s) { return s->wants_layers(); });
  const std::uint64_t before = from.results.designs;
  const std::function<void(std::uint64_t)> progress = [&](std::uint64_t done) {
    if (options.progress) options.progress(before + done);
  };
  // With rows one more, as whoever writes waits for the disk.
  const unsigned threads = std::max(options.threads, 1U) + static_cast<unsigned>(!options.sinks.empty());
  OrderedWriter writer(options.sinks, progress, threads);
  const ExploreState nothing = {ExploreResults(space, options.results), {}};
  CommonState common(std::move(from), nothing, options.save, options.save_share);
  std::atomic<std::uint64_t> next = 0;
  const auto explore_some = [&] {
    DesignEvaluation designs = std::move(*evaluation());
    CommonState::Share mine = common.share();
    DesignBlock block = empty_block(space);
    OutcomeBlock outcome = designs.outcome(layers);
    while (!writer.failed() && !(options.stop != nullptr && *options.stop)) {
      const std::uint64_t number = next++;
      if (number >= list.count()) break;
      const BlockRange one = {list.at(number), list.at(number) + 1};
      block.count = static_cast<std::size_t>(designs_of(space, one));
      fill(space, one.first * kBlockDesigns, block);
      designs.evaluate(block, outcome);
      mine.state.results.add(block, outcome);
      mine.state.done.add(one);
      std::vector<std::string> texts = writer.texts();
      for (std::size_t s = 0; s < texts.size(); ++s) options.sinks[s]->encode(block, outcome, texts[s]);
      writer.write(number, std::move(texts), block.count);
      common.bring_if_due(mine);
    }
    common.bring_last(mine);
  };
  on_threads(threads, [&](std::size_t) {
    try {
      explore_some();
    } catch (...) {  // out of memory
      writer.give_up();
      throw;
    }
  });
  if (writer.error()) return tl::unexpected(*writer.error());
  return common.take();
}

Result<ExploreResults> explore(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options) {
  const BlockSet all(BlockRange{0, blocks_of(space)});
  auto state = TRY(explore_blocks(space, evaluator, options, all, {ExploreResults(space, options.results), {}}));
  return std::move(state.results);
}

}  // namespace rooftile
