// The plan that a library would choose, without timing all of them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "rooftile/plan/candidates.hpp"
#include "rooftile/timing/plan_time.hpp"
#include "rooftile/timing/product_terms.hpp"
#include "rooftile/traffic/launch_traffic.hpp"

namespace rooftile {

// Visits plans and keeps the one that a library would choose, as a rule the fastest: in the same time as if all were
// timed. What has been found so far is a limit for the next, and plans of a product come in the order of what they take
// at least, so that few are timed. Counting loads takes several times as long as timing, so plans whose loads are
// counted wait for the end, in the order of their times if they loaded as little as they can: most are then never
// counted.
class Fastest {
 public:
  // `caches`: cache_sizes() of the GPU; `tiles`: counted_tiles() or empty.
  Fastest(const OpShape& op, const Gpu& gpu, const GpuRates& rates, const CacheSizes& caches,
          std::span<const TileLoads> tiles)
      : op_(op), gpu_(gpu), rates_(rates), caches_(caches), tiles_(tiles) {}

  // As VisitPlan has them.
  Seconds operator()(const LaunchPlan& plan);
  Seconds least(const LaunchPlan& plan);
  TileLeast tile_least(const LaunchPlan& plan, Bytes loaded);

  // A plan that outlives this.
  void visit_lasting(const LaunchPlan& plan);

  // After the last plan.
  struct Found {
    const LaunchPlan& plan;
    PlanTime time;
  };
  Found finish();

 private:
  struct Waiting {
    const LaunchPlan* plan = nullptr;
    const TileLoads* loads = nullptr;  // null: not known yet
    CtaPlaces places;                  // where they are
    Seconds least;
  };

  void wait(const LaunchPlan& plan);
  void finish_waiting();
  void keep(const LaunchPlan& plan);
  const ProductTerms* terms() const { return terms_ ? &*terms_ : nullptr; }

  static constexpr std::size_t kMostWaiting = 4;

  const OpShape& op_;
  const Gpu& gpu_;
  const GpuRates& rates_;
  const CacheSizes& caches_;
  std::span<const TileLoads> tiles_;
  std::optional<ProductTerms> terms_;
  LaunchPlan plan_;
  PlanTime time_{.time = kNoLimit, .main = {}};
  std::array<std::optional<LaunchPlan>, kMostWaiting> copies_;
  std::array<Waiting, kMostWaiting> waiting_;
  std::size_t count_ = 0;  // that wait
};

}  // namespace rooftile
