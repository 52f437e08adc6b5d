#include "rooftile/explore/common_state.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rooftile {

CommonState::CommonState(ExploreState from, const ExploreState& nothing, TimedSave::Save save, double save_share)
    : state_(std::move(from)), nothing_(nothing), save_(std::move(save), save_share) {}

CommonState::Share CommonState::share() {
  const std::lock_guard<std::mutex> lock(mutex_);
  brought_.push_back(saved_);
  return {nothing_, brought_.size() - 1, saved_};
}

void CommonState::bring_if_due(Share& share) {
  constexpr std::size_t kMostRanges = 4096;  // of blocks that other threads' lie between: so memory stays flat
  if (share.state.done.ranges().size() >= kMostRanges) bring(share, share.saves);
  const std::uint64_t next = saved_ + 1;
  if (share.saves < next && save_.due()) bring(share, next);
}

void CommonState::bring_last(Share& share) { bring(share, std::numeric_limits<std::uint64_t>::max()); }

void CommonState::bring(Share& share, std::uint64_t saves) {
  const std::lock_guard<std::mutex> lock(mutex_);
  state_.results.merge(share.state.results);
  state_.done.add(share.state.done);
  share.state = nothing_;
  share.saves = saves;
  brought_[share.thread] = saves;
  const std::uint64_t all = *std::min_element(brought_.begin(), brought_.end());
  if (all <= saved_) return;
  saved_ = all;
  save_.save(state_);
}

}  // namespace rooftile
