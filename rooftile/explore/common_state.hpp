// How far an exploration has come, as its threads bring it together: at the end, and now and then to be saved.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "rooftile/explore/explore_state.hpp"

namespace rooftile {

class CommonState {
 public:
  using Save = std::function<void(const ExploreState&)>;

  // What one thread has done since it last brought its share.
  struct Share {
    ExploreState state;
    std::size_t thread = 0;
    std::uint64_t saves = 0;  // that it has brought its share for
  };

  // Starts with `from`. An empty `save`: threads bring their shares at the end alone.
  CommonState(ExploreState from, const ExploreState& nothing, double save_every, Save save);

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
  double save_every_;
  Save save_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::vector<std::uint64_t> brought_;  // by thread: saves that it has brought its share for
  std::uint64_t saved_ = 0;
};

}  // namespace rooftile
