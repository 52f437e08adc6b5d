// Who looks at plans one by one.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>

#include "rooftile/plan/launch.hpp"
#include "rooftile/plan/tile_least.hpp"

namespace rooftile {

// Refers to a function of a LaunchPlan, which lives until the next visit; made where a visit is asked for, and gone
// after it. Whoever looks for the fastest plan alone passes an object that also knows `least`, what a plan takes at
// least whatever its tile and split, and `tile_least`, what those of its tile do, of which a CTA loads so much a step
// of k: plans come in that order where that saves time, and not at all where it is not below what the function returned
// last. Else all come, in an order of their own.
class VisitPlan {
 public:
  template <class Visit>
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload): any function
  requires(!std::is_same_v<std::remove_cvref_t<Visit>, VisitPlan>) VisitPlan(Visit&& visit)
      : visit_(const_cast<void*>(static_cast<const void*>(std::addressof(visit)))),
        call_(call<Visit>),
        least_(least<Visit>),
        tile_least_(tile_least<Visit>) {}

  // What further plans have to take less than.
  Seconds operator()(const LaunchPlan& plan) const { return call_(visit_, plan); }
  Seconds least(const LaunchPlan& plan) const { return least_(visit_, plan); }
  TileLeast tile_least(const LaunchPlan& plan, Bytes loaded) const { return tile_least_(visit_, plan, loaded); }

 private:
  template <class Visit>
  static Seconds call(void* visit, const LaunchPlan& plan) {
    auto& function = *static_cast<std::remove_reference_t<Visit>*>(visit);
    if constexpr (std::is_void_v<decltype(function(plan))>) {
      function(plan);
      return kNoLimit;
    } else {
      return function(plan);
    }
  }

  template <class Visit>
  static Seconds least(void* visit, const LaunchPlan& plan) {
    auto& function = *static_cast<std::remove_reference_t<Visit>*>(visit);
    if constexpr (requires {
                    { function.least(plan) } -> std::same_as<Seconds>;
                  }) {
      return function.least(plan);
    } else {
      return Seconds(0);
    }
  }

  template <class Visit>
  static TileLeast tile_least(void* visit, const LaunchPlan& plan, Bytes loaded) {
    auto& function = *static_cast<std::remove_reference_t<Visit>*>(visit);
    if constexpr (requires {
                    { function.tile_least(plan, loaded) } -> std::same_as<TileLeast>;
                  }) {
      return function.tile_least(plan, loaded);
    } else {
      return {};
    }
  }

  void* visit_;
  Seconds (*call_)(void*, const LaunchPlan&);
  Seconds (*least_)(void*, const LaunchPlan&);
  TileLeast (*tile_least_)(void*, const LaunchPlan&, Bytes);
};

}  // namespace rooftile
