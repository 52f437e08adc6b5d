#include "rooftile/explore/optimise/front_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "rooftile/explore/optimise/local_search.hpp"
#include "rooftile/explore/optimise/moves.hpp"
#include "rooftile/explore/optimise/random_source.hpp"

namespace rooftile {
namespace {

class FrontSearch {
 public:
  FrontSearch(Trials& trials, const FrontSearchOptions& options)
      : trials_(trials),
        options_(options),
        objectives_(trials.problem().objectives()),
        moves_(trials.problem().axes()),
        random_(options.seed) {}

  std::vector<std::size_t> run() {
    ends();
    while (trials_.left() > 0) {
      const std::optional<std::size_t> next = next_member();
      if (!next) break;  // all there is around the front was tried
      expand(front_[*next]);
    }
    std::vector<std::size_t> result;
    for (const Member& member : front_) result.push_back(member.entry);
    std::sort(result.begin(), result.end(),
              [&](std::size_t a, std::size_t b) { return trials_.trial(a).objectives < trials_.trial(b).objectives; });
    return result;
  }

 private:
  struct Member {
    std::size_t entry = 0;
    int expanded = 0;  // how often
  };

  // Searches for the end of the front in each objective.
  void ends() {
    const std::size_t most = trials_.most(), each = trials_.left() / (3 * objectives_);
    for (std::size_t k = 0; k < objectives_; ++k) {
      trials_.set_most(std::min(most, trials_.size() + std::max<std::size_t>(each, options_.samples)));
      const Aim aim = [k](const Trial& trial) { return trial.objectives[k]; };
      local_search(trials_, aim,
                   {.seed = options_.seed + k, .samples = k == 0 ? options_.samples : 0, .starts = starts(k)});
      add_new();
    }
    trials_.set_most(most);
  }

  std::vector<SearchPoint> starts(std::size_t objective) const {
    if (objective == 0) return options_.starts;
    std::vector<SearchPoint> result;
    if (const auto best = trials_.best(objective)) result.push_back(trials_.point(*best));
    return result;
  }

  // Takes into the front what was tried since.
  void add_new() {
    for (; seen_ < trials_.size(); ++seen_) {
      const Trial& trial = trials_.trial(seen_);
      if (!trial.feasible()) continue;
      const bool beaten = std::any_of(front_.begin(), front_.end(), [&](const Member& member) {
        const Trial& other = trials_.trial(member.entry);
        return other.objectives == trial.objectives || dominates(other, trial);
      });
      if (beaten) continue;
      std::erase_if(front_, [&](const Member& member) { return dominates(trial, trials_.trial(member.entry)); });
      front_.push_back({.entry = seen_});
    }
  }

  // The member expanded least; of these the one that stands most apart.
  std::optional<std::size_t> next_member() const {
    int least = times();
    for (const Member& member : front_) least = std::min(least, member.expanded);
    if (least == times()) return std::nullopt;
    const std::vector<double> apart = crowding();
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < front_.size(); ++i) {
      if (front_[i].expanded == least && (!next || apart[i] > apart[*next])) next = i;
    }
    return next;
  }

  // How far each member's neighbours along each objective are from one another, as shares of the front's extent.
  std::vector<double> crowding() const {
    std::vector<double> apart(front_.size());
    std::vector<std::size_t> order(front_.size());
    for (std::size_t k = 0; k < objectives_; ++k) {
      std::iota(order.begin(), order.end(), 0);
      const auto value = [&](std::size_t i) { return trials_.trial(front_[i].entry).objectives[k]; };
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
      const double extent = value(order.back()) - value(order.front());
      apart[order.front()] = apart[order.back()] = std::numeric_limits<double>::infinity();
      for (std::size_t i = 1; i + 1 < order.size() && extent > 0; ++i) {
        apart[order[i]] += (value(order[i + 1]) - value(order[i - 1])) / extent;
      }
    }
    return apart;
  }

  // Each expansion tries other neighbours: coarse steps first, then ever finer ones, then all again.
  int times() const { return 3 * (moves_.coarsest() + 1); }
  void expand(Member& member) {
    const int scale = moves_.coarsest() - member.expanded % (moves_.coarsest() + 1);
    ++member.expanded;
    std::vector<SearchPoint> points = moves_.neighbours(trials_.point(member.entry), scale, 1, random_);
    constexpr std::size_t kOfEach = 5;
    points.resize(std::min(points.size(), kOfEach * trials_.problem().axes().size()));
    trials_.add(points);
    add_new();
  }

  Trials& trials_;
  const FrontSearchOptions& options_;
  std::size_t objectives_;
  Moves moves_;
  RandomSource random_;
  std::vector<Member> front_;
  std::size_t seen_ = 0;
};

}  // namespace

bool dominates(const Trial& a, const Trial& b) {
  bool better = false;
  for (std::size_t k = 0; k < a.objectives.size(); ++k) {
    if (a.objectives[k] > b.objectives[k]) return false;
    better = better || a.objectives[k] < b.objectives[k];
  }
  return better;
}

std::vector<std::size_t> front_search(Trials& trials, const FrontSearchOptions& options) {
  return FrontSearch(trials, options).run();
}

}  // namespace rooftile
