// What an exploration keeps of its designs: the best, the Pareto front, bottleneck shares, a heat map, counts.
//
// Everything is merged exactly and in any order: the result is the same to the bit however designs were split among
// threads or machines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "rooftile/explore/design_block.hpp"
#include "rooftile/explore/metric.hpp"
#include "rooftile/explore/pareto.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

// A design with its time and what limits it.
struct RankedDesign {
  std::uint64_t index = 0;
  double time = 0;                            // seconds
  std::array<double, kBottlenecks> shares{};  // of `time`
  std::array<double, kCosts> costs{};         // by Cost; zero if not asked for
  DesignPoint point{};
};

double value_of(Metric metric, const RankedDesign& design);

// Less of the metric first; of equals the one that takes less time, then the cheaper one. Neither of two that are the
// same in all of these, whatever their parameters are.
bool better(const RankedDesign& a, const RankedDesign& b, Metric metric = Metric::time);

// The best `most` designs seen that differ in the metric or in time: more of a resource that changes neither makes no
// other design. The cheapest stands for all of the same, of equals that of the lowest index.
class BestDesigns {
 public:
  explicit BestDesigns(std::size_t most, Metric metric = Metric::time) : most_(most), designs_(Before{metric}) {}
  void add(const DesignBlock& block, const OutcomeBlock& outcome);
  void add(const RankedDesign& design);
  void merge(const BestDesigns& other);
  std::vector<RankedDesign> designs() const;  // the best first
  Metric metric() const { return designs_.key_comp().metric; }

 private:
  struct Before {
    Metric metric;
    bool operator()(const RankedDesign& a, const RankedDesign& b) const;
  };
  static bool cheaper(const RankedDesign& a, const RankedDesign& b);

  std::size_t most_;
  std::set<RankedDesign, Before> designs_;
};

// Designs that no other beats: none has both less of every metric named (or as much) and less time (or as much). Of
// designs equal in all of these the lowest index stands for all. Sorted by time.
class ParetoFront {
 public:
  // Besides time.
  explicit ParetoFront(std::vector<Metric> metrics) : metrics_(std::move(metrics)), set_(metrics_.size() + 1) {}
  void add(const DesignBlock& block, const OutcomeBlock& outcome);
  void add(const RankedDesign& design);
  void merge(const ParetoFront& other);
  std::vector<RankedDesign> designs() const;
  std::size_t size() const { return set_.size(); }
  const std::vector<Metric>& metrics() const { return metrics_; }

 private:
  void insert(const double* keys, const RankedDesign& design);

  std::vector<Metric> metrics_;
  ParetoSet set_;                      // keys of a design: its time, then its metrics
  std::vector<RankedDesign> designs_;  // by their place in the set
};

// The least time for each pair of values of two axes, whatever the others are.
class HeatMap {
 public:
  // Axes by their place in the space. Ranges are cut into kBins, unless they have
  // no more whole numbers than that.
  static constexpr std::size_t kBins = 32;
  HeatMap(const DesignSpace& space, std::size_t x, std::size_t y);
  void add(const DesignBlock& block, const OutcomeBlock& outcome);
  void merge(const HeatMap& other);
  // Least times, by y, then x: as many as cells().
  void merge(std::span<const double> cells);
  std::span<const double> cells() const { return least_; }

  const std::vector<double>& xs() const { return xs_; }  // values, or the middles of bins
  const std::vector<double>& ys() const { return ys_; }
  // Infinite where no design was.
  double least(std::size_t x, std::size_t y) const { return least_[y * xs_.size() + x]; }
  Parameter x() const { return x_.parameter; }
  Parameter y() const { return y_.parameter; }

 private:
  DesignAxis x_, y_;
  std::vector<double> xs_, ys_, least_;
};

// What is asked for.
struct ResultOptions {
  std::size_t best = 10;
  Metric rank_by = Metric::time;                                     // the best have the least of it
  std::vector<Metric> pareto = {};                                   // besides time; empty: no front
  std::optional<std::pair<std::size_t, std::size_t>> heat_map = {};  // places of axes
};

struct ExploreResults {
  // Shares are counted in whole parts so that their sum does not depend on its order; 2^53 designs fit.
  static constexpr std::uint64_t kShareUnits = 1024;

  ExploreResults(const DesignSpace& space, const ResultOptions& options);

  std::uint64_t designs = 0;                             // done
  std::array<std::uint64_t, kUnfits> unfit{};            // designs by reason; [0]: those that are fit
  std::array<std::uint64_t, kBottlenecks> limited{};     // fit designs by what takes most of their time
  std::array<std::uint64_t, kBottlenecks> share_sums{};  // of the shares of time of fit designs, each in 1/kShareUnits
  BestDesigns best;
  ParetoFront pareto;
  std::optional<HeatMap> heat_map;

  // The outcomes of one block.
  void add(const DesignBlock& block, const OutcomeBlock& outcome);
  // Those of other blocks.
  void merge(const ExploreResults& next);
};

}  // namespace rooftile
