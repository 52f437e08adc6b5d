// How far an exploration has come, as its threads bring it together: at the end, and now and then to be saved.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "rooftile/explore/explore_state.hpp"
#include "rooftile/explore/timed_save.hpp"

namespace rooftile {

class CommonState {
 public:
  // What one thread has done since it last brought its share.
  struct Share {
    ExploreState state;
    std::size_t thread = 0;
    std::uint64_t saves = 0;  // that it has brought it for
  };

  // Starts with `from`. Where nothing is to be saved, threads bring their shares at the end alone.
  CommonState(ExploreState from, const ExploreState& nothing, TimedSave::Save save, double save_share);

  // Of a thread that begins; from then on a save waits for it.
  Share share();
  // Brings the share if a save is due. The last of the threads to do so saves, while those that are ready before it go
  // on.
  void bring_if_due(Share& share);
  void bring_last(Share& share);

  // After all threads have brought their last.
  ExploreState take() { return std::move(state_); }

 private:
  void bring(Share& share, std::uint64_t saves);

  ExploreState state_, nothing_;
  TimedSave save_;
  std::mutex mutex_;
  std::vector<std::uint64_t> brought_;    // by thread: saves that it has brought its share for
  std::atomic<std::uint64_t> saved_ = 0;  // saves so far
};

}  // namespace rooftile
