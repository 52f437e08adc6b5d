#include "rooftile/explore/optimise/trials.hpp"

#include <bit>
#include <utility>

namespace rooftile {

Trials::Trials(SearchProblem& problem, std::size_t most, const std::atomic<bool>* stop,
               std::function<void(std::size_t)> progress)
    : problem_(problem), most_(most), stop_(stop), progress_(std::move(progress)) {}

std::size_t Trials::Hash::operator()(const SearchPoint& point) const {
  std::uint64_t hash = 0;
  for (const double coordinate : point) {
    hash ^= std::bit_cast<std::uint64_t>(coordinate) + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
    hash *= 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return hash;
}

std::size_t Trials::left() const {
  constexpr std::size_t kMostAsked = 20;  // times the trials
  if ((stop_ != nullptr && *stop_) || asked_ / kMostAsked > most_) return 0;
  return most_ > entries_.size() ? most_ - entries_.size() : 0;
}

std::vector<std::optional<std::size_t>> Trials::add(std::span<const SearchPoint> points) {
  std::vector<std::optional<std::size_t>> places;
  const std::size_t before = entries_.size();
  asked_ += points.size();
  std::vector<SearchPoint> fresh;
  for (const SearchPoint& point : points) {
    if (const auto found = places_.find(point); found != places_.end()) {
      places.emplace_back(found->second);
    } else if (left() > fresh.size()) {
      places.emplace_back(before + fresh.size());
      places_.emplace(point, before + fresh.size());
      fresh.push_back(point);
    } else {
      places.emplace_back(std::nullopt);
    }
  }
  if (fresh.empty()) return places;
  std::vector<Trial> trials(fresh.size());
  problem_.evaluate(fresh, trials);
  for (std::size_t i = 0; i < fresh.size(); ++i) entries_.push_back({std::move(fresh[i]), std::move(trials[i])});
  if (progress_) progress_(entries_.size());
  return places;
}

std::optional<std::size_t> Trials::best(std::size_t objective) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!best || better(entries_[i].trial, entries_[*best].trial, objective)) best = i;
  }
  return best;
}

}  // namespace rooftile
