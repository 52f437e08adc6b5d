#include "rooftile/cluster/cluster_explore.hpp"

#include <array>
#include <limits>
#include <thread>
#include <unistd.h>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/cluster/clock.hpp"
#include "rooftile/cluster/own_worker.hpp"
#include "rooftile/explore/results_bytes.hpp"
#include "rooftile/explore/timed_save.hpp"

namespace rooftile::cluster {
namespace {

Hello hello_of(const Exploration& exploration) {
  return {host_name(), exploration.options.threads, exploration.fingerprint};
}

// A chunk with the threads of this rank.
Compute compute_of(const Exploration& exploration) {
  return [&exploration](BlockRange blocks, const std::atomic<bool>& stop) -> Result<Part> {
    ExploreOptions options;
    options.results = exploration.options.results;
    options.costs = exploration.options.costs;
    options.threads = exploration.options.threads;
    options.stop = &stop;
    const ExploreState nothing = {ExploreResults(exploration.space, options.results), {}};
    const auto state =
        TRY(explore_blocks(exploration.space, exploration.evaluator, options, BlockSet(blocks), nothing));
    return Part{state.done.count(), results_bytes(state.results)};
  };
}

}  // namespace

Coordinated coordinate(const Exploration& exploration, ExploreState from, Transport& ranks,
                       const CoordinatorSettings& settings, const std::function<void(const std::string&)>& notice) {
  const ExploreOptions& options = exploration.options;
  WithOwnWorker both(ranks);
  Coordinator coordinator(exploration.space, options.results, exploration.fingerprint, std::move(from), both, settings,
                          seconds_now(), notice);
  const std::atomic<bool> never = false;  // stopped by the coordinator, as the others
  WorkerSettings own_settings;
  own_settings.patience = std::numeric_limits<double>::infinity();  // this rank may be long over a file
  std::thread own(
      [&] { (void)work_for(both.own_worker(), hello_of(exploration), compute_of(exploration), never, own_settings); });
  TimedSave save(options.save, options.save_share);
  while (!coordinator.finished(seconds_now())) {
    bool any = false;
    while (const auto message = both.receive()) {
      coordinator.handle(*message, seconds_now());
      any = true;
    }
    coordinator.tick(seconds_now());
    if (options.stop != nullptr && *options.stop) coordinator.stop(seconds_now());
    if (options.progress) options.progress(coordinator.state().results.designs);
    if (save.due()) save.save(coordinator.state());
    if (!any) std::this_thread::sleep_for(kIdle);
  }
  coordinator.send_finish();
  own.join();
  if (coordinator.error()) return {tl::unexpected(*coordinator.error()), coordinator.rank_lost()};
  save.save(coordinator.state());
  const bool lost = coordinator.rank_lost();
  return {coordinator.take_state(), lost};
}

Result<Finish> serve(const Exploration& exploration, Transport& ranks, const WorkerSettings& settings) {
  const std::atomic<bool> never = false;
  const std::atomic<bool>& interrupted = exploration.options.stop != nullptr ? *exploration.options.stop : never;
  return work_for(ranks, hello_of(exploration), compute_of(exploration), interrupted, settings);
}

std::string host_name() {
  constexpr std::size_t kLongest = 256;
  std::array<char, kLongest> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

}  // namespace rooftile::cluster
