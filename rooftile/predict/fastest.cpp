#include "rooftile/predict/fastest.hpp"

#include <algorithm>

namespace rooftile {

Seconds Fastest::operator()(const LaunchPlan& plan) {
  if (has_counted_loads(plan, op_)) {
    if (count_ == kMostWaiting) finish_waiting();
    wait(copies_[count_].emplace(plan));
  } else {
    keep(plan);
  }
  return time_.time;
}

void Fastest::visit_lasting(const LaunchPlan& plan) {
  if (!has_counted_loads(plan, op_)) return keep(plan);
  if (count_ == kMostWaiting) finish_waiting();
  wait(plan);
}

Seconds Fastest::least(const LaunchPlan& plan) {
  terms_ = product_terms(plan, rates_);  // of this kind of kernel
  return least_miopen_time(plan, rates_, *terms_);
}

TileLeast Fastest::tile_least(const LaunchPlan& plan, Bytes loaded) {
  if (plan.main.product.chosen_alone) return {};      // which no bound is known of
  if (!terms_) terms_ = product_terms(plan, rates_);  // all plans of the product have them in common
  return rooftile::tile_least(plan, loaded, rates_, *terms_);
}

Fastest::Found Fastest::finish() {
  finish_waiting();
  if (chooses_by_estimate(plan_, rates_)) time_ = timed_plan(plan_, rates_, kNoLimit, terms());
  return {plan_, time_};
}

void Fastest::wait(const LaunchPlan& plan) {
  const TileLoads* loads = find_tile(tiles_, plan.tile);
  Waiting& waiting = waiting_[count_];
  LeastLoads least;
  if (loads != nullptr) {
    waiting.places = {*loads, plan.main.resident, caches_.sms};
    least = least_loads(*loads, waiting.places);
  } else {
    least.l2 = least.dram = op_.element * compulsory_elements(op_.gemm);
  }
  waiting.plan = &plan;
  waiting.loads = loads;
  waiting.least = conv_time(plan.main, least.l2, least.dram, rates_, time_.time).time;
  if (waiting.least < time_.time) ++count_;
}

void Fastest::finish_waiting() {
  const auto earlier = [](const Waiting& a, const Waiting& b) { return a.least < b.least; };
  for (; count_ > 0; --count_) {  // the first of the least comes next
    Waiting* last = waiting_.data() + count_;
    Waiting* next = std::min_element(waiting_.data(), last, earlier);
    if (next->least >= time_.time) break;
    LaunchPlan counted = *next->plan;
    if (next->loads != nullptr) {
      count_loads(counted, *next->loads, next->places, caches_);
    } else {
      count_loads(counted, op_, gpu_);
    }
    keep(counted);
    std::move(next + 1, last, next);
  }
  count_ = 0;
}

void Fastest::keep(const LaunchPlan& plan) {
  const PlanTime took = chooses_by_estimate(plan, rates_)
                            ? PlanTime{.time = choice_time(plan, rates_, time_.time), .main = {}}
                            : timed_plan(plan, rates_, time_.time, terms());
  if (took.time >= time_.time) return;
  time_ = took;
  plan_ = plan;
}

}  // namespace rooftile
