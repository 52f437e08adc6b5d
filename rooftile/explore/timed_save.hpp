// Saving how far an exploration has come, so often that it takes a certain share of the time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

#include "rooftile/explore/explore_state.hpp"

namespace rooftile {

class TimedSave {
 public:
  using Save = std::function<void(const ExploreState&)>;

  // The first is due at once: how long it takes says when the next one is. An empty `save`: none is ever due.
  TimedSave(Save save, double share) : save_(std::move(save)), share_(share) {}

  // Any thread.
  bool due() const { return save_ && std::chrono::steady_clock::now().time_since_epoch().count() >= next_; }

  // One thread at a time.
  void save(const ExploreState& state) {
    if (!save_) return;
    const auto begun = std::chrono::steady_clock::now();
    save_(state);
    const auto ended = std::chrono::steady_clock::now();
    const double pause = static_cast<double>((ended - begun).count()) / share_;
    next_ = ended.time_since_epoch().count() + static_cast<Count>(pause);
  }

 private:
  using Count = std::chrono::steady_clock::rep;

  Save save_;
  double share_;
  std::atomic<Count> next_ = 0;
};

}  // namespace rooftile
