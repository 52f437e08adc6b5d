#include "rooftile/explore/optimise/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "rooftile/explore/optimise/moves.hpp"
#include "rooftile/explore/optimise/random_source.hpp"
#include "rooftile/explore/sequence.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kBatch = 16;  // neighbours tried before the best of them is gone to
constexpr int kSpread = 2;
constexpr std::size_t kPool = 12;  // best ends of descents, which further ones start from

class LocalSearch {
 public:
  LocalSearch(Trials& trials, const Aim& aim, const LocalSearchOptions& options)
      : trials_(trials),
        aim_(aim),
        options_(options),
        axes_(trials.problem().axes()),
        moves_(axes_),
        random_(options.seed) {
    constexpr double kLong = 255;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (axes_[a].last() >= kLong) long_axes_.push_back(a);
    }
  }

  std::optional<std::size_t> run() {
    sample();
    if (order_.empty()) return std::nullopt;
    keep(descend(order_.front(), moves_.coarsest(), kAll));
    for (std::size_t i = 1; !options_.one_descent && i < std::min<std::size_t>(order_.size(), 4); ++i) {
      keep(descend(order_[i], moves_.coarsest(), kFew));
    }
    while (!options_.one_descent && trials_.left() > 0 && idle_ < kMostIdle) {
      const std::size_t before = trials_.size();
      if (const auto start = changed()) {
        const std::size_t from = !long_axes_.empty() && random_.index(2) == 0 ? at_border(*start) : priced(*start);
        const std::size_t end = descend(from, std::max(0, moves_.coarsest() - 1), kFew);
        if (better(end, pool_.back()) || pool_.size() < kPool) keep(descend(end, std::min(1, moves_.coarsest()), kAll));
      }
      idle_ = trials_.size() == before ? idle_ + 1 : 0;
    }
    return pool_.front();
  }

 private:
  bool better(std::size_t a, std::size_t b) const {
    const double a_violation = trials_.trial(a).violation(), b_violation = trials_.trial(b).violation();
    if (a_violation != b_violation) return a_violation < b_violation;
    if (!trials_.trial(a).possible) return false;
    const double a_aim = aim_(trials_.trial(a)), b_aim = aim_(trials_.trial(b));
    if (a_aim != b_aim) return a_aim < b_aim;
    // Of equals the one with more slack: it has what another variable may need.
    return slack_used(a) < slack_used(b);
  }
  double slack_used(std::size_t entry) const {
    const std::vector<double>& excess = trials_.trial(entry).excess;
    return std::accumulate(excess.begin(), excess.end(), 0.0);
  }

  // Points spread evenly, both corners and the starts, the best first.
  void sample() {
    std::vector<SearchPoint> points = options_.starts;
    const auto at_place = [&](double place) {
      SearchPoint point;
      for (const SearchAxis& axis : axes_) point.push_back(axis.at_place(place));
      return point;
    };
    if (options_.samples > 0) {
      points.push_back(at_place(0));
      points.push_back(at_place(1));
      std::vector<SearchPoint> spread(options_.samples, SearchPoint(axes_.size()));
      SobolPoints sobol(axes_.size(), 0, options_.samples);
      std::vector<double> places(options_.samples);
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        sobol.coordinates(a, options_.seed, places);
        for (std::size_t i = 0; i < places.size(); ++i) spread[i][a] = axes_[a].at_place(places[i]);
      }
      points.insert(points.end(), spread.begin(), spread.end());
    }
    for (const auto& place : trials_.add(points)) {
      if (place) order_.push_back(*place);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return better(a, b); });
  }

  // Of equal ends the pool has one: it is to hold what differs.
  void keep(std::size_t end) {
    const auto place =
        std::lower_bound(pool_.begin(), pool_.end(), end, [&](std::size_t a, std::size_t b) { return better(a, b); });
    const auto equal = [&](std::size_t other) {
      return trials_.trial(other).violation() == trials_.trial(end).violation() &&
             aim_(trials_.trial(other)) == aim_(trials_.trial(end));
    };
    if (place != pool_.begin() && equal(*(place - 1))) return;
    if (place != pool_.end() && equal(*place)) {
      *place = end;
      return;
    }
    pool_.insert(place, end);
    if (pool_.size() > kPool) pool_.pop_back();
  }

  // A point made from the pool: some coordinates anew, some from another, or a step along the difference of two.
  std::optional<std::size_t> changed() {
    const auto pick = [&] { return pool_[random_.index(pool_.size())]; };
    SearchPoint point = trials_.point(random_.index(3) == 0 ? pool_.front() : pick());
    const std::size_t how = pool_.size() < 3 ? 0 : random_.index(3);
    if (how == 1) {
      const SearchPoint& other = trials_.point(pick());
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        if (random_.index(2) == 0) point[a] = other[a];
      }
    } else if (how == 2) {
      const SearchPoint &from = trials_.point(order_[random_.index(order_.size())]), &to = trials_.point(pick());
      const double length = 0.3 + 0.6 * random_.place();
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        point[a] = axes_[a].nearest(point[a] + length * (to[a] - from[a]));
      }
    }
    const std::size_t changes = how == 0 ? 1 + random_.index(3) : random_.index(2);
    for (std::size_t i = 0; i < changes; ++i) {
      const std::size_t axis = random_.index(axes_.size());
      point[axis] = axes_[axis].at_place(random_.place());
    }
    return trials_.add(std::span(&point, 1)).front();
  }

  // Walks by a sum of the aim and of what limits are broken by, each at a random price: a way through infeasible
  // points.
  std::size_t priced(std::size_t at) {
    const Trial& start = trials_.trial(at);
    if (!start.possible || start.excess.empty()) return at;
    const double scale = std::abs(aim_(start));
    if (!(scale > 0 && std::isfinite(scale))) return at;
    std::vector<double> prices;
    for (std::size_t i = 0; i < start.excess.size(); ++i) prices.push_back(std::pow(10.0, 2 * random_.place() - 0.5));
    const auto merit = [&](std::size_t entry) {
      const Trial& trial = trials_.trial(entry);
      if (!trial.possible) return std::numeric_limits<double>::infinity();
      double sum = aim_(trial) / scale;
      for (std::size_t i = 0; i < prices.size(); ++i) sum += prices[i] * std::max(trial.excess[i], 0.0);
      return sum;
    };
    return walk(at, std::max(0, moves_.coarsest() - 1), kFew,
                [&](std::size_t a, std::size_t b) { return merit(a) < merit(b); });
  }

  // Moves one long axis to where the limits just hold: between an end of its range where they do and one where they do
  // not. The point itself if there is no such pair of ends, or nothing is left to try.
  std::size_t at_border(std::size_t at) {
    const std::size_t axis = long_axes_[random_.index(long_axes_.size())];
    SearchPoint point = trials_.point(at);
    const auto tried = [&](double coordinate) {
      point[axis] = coordinate;
      return trials_.add(std::span(&point, 1)).front();
    };
    const auto low = tried(0), high = tried(axes_[axis].last());
    if (!low || !high || trials_.trial(*low).feasible() == trials_.trial(*high).feasible()) return at;
    std::size_t holds = trials_.trial(*low).feasible() ? *low : *high;
    std::size_t broken = holds == *low ? *high : *low;
    while (true) {
      const double from = trials_.point(holds)[axis], to = trials_.point(broken)[axis];
      const double middle = axes_[axis].nearest((from + to) / 2);
      constexpr double kNear = 1;  // also of a continuous axis: a share of 65,536
      if (middle == from || middle == to || std::abs(from - to) <= kNear) return holds;
      const auto entry = tried(middle);
      if (!entry) return holds;
      (trials_.trial(*entry).feasible() ? holds : broken) = *entry;
    }
  }

  std::size_t descend(std::size_t at, int scale, std::size_t most) {
    return walk(at, scale, most, [&](std::size_t a, std::size_t b) { return better(a, b); });
  }

  // Goes to better neighbours until none is among `most` of them, at any scale from `scale` down.
  template <class Better>
  std::size_t walk(std::size_t at, int scale, std::size_t most, const Better& is_better) {
    while (scale >= 0 && trials_.left() > 0) {
      const std::size_t next = neighbour(at, scale, most, is_better);
      if (next == at) --scale;
      at = next;
    }
    return at;
  }

  // The point itself if there is no better one.
  template <class Better>
  std::size_t neighbour(std::size_t at, int scale, std::size_t most, const Better& is_better) {
    std::vector<SearchPoint> all = moves_.neighbours(trials_.point(at), scale, kSpread, random_);
    if (most != kAll) all.resize(std::min(all.size(), most * axes_.size()));
    for (std::size_t first = 0; first < all.size() && trials_.left() > 0; first += kBatch) {
      std::size_t best = at;
      for (const auto& place : trials_.add(std::span(all).subspan(first, std::min(kBatch, all.size() - first)))) {
        if (place && is_better(*place, best)) best = *place;
      }
      if (best != at) return best;
    }
    return at;
  }

  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max(), kFew = 6;
  static constexpr int kMostIdle = 200;  // descents that tried nothing new: all there is was tried
  Trials& trials_;
  const Aim& aim_;
  const LocalSearchOptions& options_;
  const std::vector<SearchAxis>& axes_;
  Moves moves_;
  RandomSource random_;
  std::vector<std::size_t> long_axes_;  // on which a border is found by halving
  std::vector<std::size_t> order_;      // sampled entries, the best first
  std::vector<std::size_t> pool_;       // ends of descents, the best first
  int idle_ = 0;
};

}  // namespace

std::optional<std::size_t> local_search(Trials& trials, const Aim& aim, const LocalSearchOptions& options) {
  return LocalSearch(trials, aim, options).run();
}

}  // namespace rooftile
