#include "rooftile/explore/explore.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace rooftile {
namespace {

// Lets threads write in the order of their blocks. After an error nobody writes.
class OrderedWriter {
 public:
  OrderedWriter(const std::vector<RowSink*>& sinks, const std::function<void(std::uint64_t)>& progress)
      : sinks_(sinks), progress_(progress) {}

  void write(std::uint64_t block, const std::vector<std::string>& bytes, std::uint64_t designs) {
    std::unique_lock<std::mutex> lock(mutex_);
    turn_.wait(lock, [&] { return next_ == block; });
    for (std::size_t s = 0; s < sinks_.size() && !error_; ++s) {
      if (auto result = sinks_[s]->write(bytes[s]); !result) {
        error_ = result.error();
        failed_ = true;
      }
    }
    done_ += designs;
    if (progress_) progress_(done_);
    ++next_;
    turn_.notify_all();
  }

  bool failed() const { return failed_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  const std::vector<RowSink*>& sinks_;
  const std::function<void(std::uint64_t)>& progress_;
  std::mutex mutex_;
  std::condition_variable turn_;
  std::uint64_t next_ = 0, done_ = 0;
  std::optional<Error> error_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

Result<ExploreResults> explore(const DesignSpace& space, const Evaluator& evaluator, const ExploreOptions& options) {
  const auto evaluation = [&] {
    return DesignEvaluation::make(evaluator, space.base, space.constraints, options.costs);
  };
  if (auto possible = evaluation(); !possible) return tl::unexpected(possible.error());
  const std::uint64_t size = space.size();
  const bool layers =
      std::any_of(options.sinks.begin(), options.sinks.end(), [](const RowSink* s) { return s->wants_layers(); });
  ExploreResults total(space, options.results);
  OrderedWriter writer(options.sinks, options.progress);
  std::atomic<std::uint64_t> next = 0;
  std::mutex merging;
  const auto work = [&] {
    DesignEvaluation designs = std::move(*evaluation());
    ExploreResults mine(space, options.results);
    DesignBlock block = empty_block(space);
    OutcomeBlock outcome = designs.outcome(layers);
    std::vector<std::string> bytes(options.sinks.size());
    while (!writer.failed() && !(options.stop != nullptr && *options.stop)) {
      const std::uint64_t number = next++;
      if (number >= (size + kBlockDesigns - 1) / kBlockDesigns) break;
      const std::uint64_t first = number * kBlockDesigns;
      block.count = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockDesigns, size - first));
      fill(space, first, block);
      designs.evaluate(block, outcome);
      mine.add(block, outcome);
      for (std::size_t s = 0; s < bytes.size(); ++s) {
        bytes[s].clear();
        options.sinks[s]->encode(block, outcome, bytes[s]);
      }
      writer.write(number, bytes, block.count);
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
