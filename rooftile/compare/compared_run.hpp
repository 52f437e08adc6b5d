// A network on one GPU of several: a row of a comparison (docs/compare.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rooftile/base/units.hpp"
#include "rooftile/cost/energy.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/prices/gpu_price.hpp"

namespace rooftile {

struct ComparedRun {
  std::string model, gpu, precision;
  bool widened = false;         // the GPU only stores that precision and computes in a wider one
  std::int64_t batch_size = 1;  // samples of a run, all micro-batches
  Seconds time;
  std::optional<Interval> interval;
  std::string limit;                          // of most of the time: a Bottleneck, "host", "input"
  std::string input_limit;                    // what its input waits for, where that is the limit: "cores", "disk"
  double gpu_busy = 1;                        // share of the time
  double peak_share = 0;                      // of the peak rate of what it computes in, while the GPU works
  std::optional<double> cpu_busy;             // of all cores of the host, which is known
  Bytes memory, capacity;                     // capacity: without the headroom
  std::optional<std::int64_t> largest_batch;  // that fits, where this one does not; 0: none does
  std::shared_ptr<const GpuPrice> price;      // of an hour; null: not known
  std::shared_ptr<const BoardPrice> board;    // where it is bought
  std::optional<Joules> energy;               // of a run; none: its process or memory has no costs
  std::optional<double> ratio;                // how many times as fast as the baseline, by samples a second
  std::optional<double> samples;              // of an epoch
  double epochs = 1;
  std::optional<double> grams_per_joule;  // of CO2, where the electricity is from
  double usd_per_joule = 0;               // of electricity
  TimeBounds by = {};                     // of the GPU's time, what limits it

  bool fits() const { return memory <= capacity; }
  double samples_per_second() const { return static_cast<double>(batch_size) / time.value(); }
  std::optional<double> watts() const;
  std::optional<Dollars> cost_of(double of_samples) const;
  std::optional<Dollars> per_million_samples() const { return cost_of(1e6); }
  // Of an epoch and of all of them: whole batches.
  std::optional<Seconds> epoch_time() const;
  std::optional<Dollars> epoch_cost() const;
  std::optional<Seconds> total_time() const;
  std::optional<Dollars> total_cost() const;
  std::optional<double> joules_per_sample() const;
  std::optional<double> grams_per_million_samples() const;
  // Of full use, after which a board that is bought costs less than the rent, electricity counted; none where it never
  // does, or where the price is itself that of a board.
  std::optional<double> break_even_months() const;
};

}  // namespace rooftile
