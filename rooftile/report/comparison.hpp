// A network on several GPUs: one row a GPU and batch size (docs/compare.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/cost/energy.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/prices/gpu_price.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct ComparedRun {
  std::string model, gpu, precision;
  std::int64_t batch_size = 1;  // samples of a run, all micro-batches
  Seconds time;
  std::optional<Interval> interval;
  Bottleneck limit = Bottleneck::compute;  // of most of the time that the GPU works
  bool host_bound = false;                 // it waits for the host longer than it works
  double gpu_busy = 1;                     // share of the time
  Bytes memory, capacity;
  std::optional<GpuPrice> price;
  Joules energy;                // of a run
  std::optional<double> ratio;  // how many times as fast as the baseline, by samples a second

  bool fits() const { return memory <= capacity; }
  double samples_per_second() const { return static_cast<double>(batch_size) / time.value(); }
  std::optional<Dollars> per_million_samples() const;
  double watts() const { return energy.value() / time.value(); }
};

struct ComparisonReport {
  std::string pass;  // "inference", "training"
  std::string execution;
  std::string baseline;  // GPU id; empty: none
  std::vector<ComparedRun> runs;
  std::vector<std::string> left_out;  // "k80: no peak rate …"
};

// The columns of the CSV, which --sort and --where name, and their cells of a run; an empty cell is not known.
std::vector<std::string> comparison_columns();
std::string comparison_cell(const ComparedRun& run, const std::string& name);

std::string comparison_table(const ComparisonReport& report, std::size_t width = kAnyWidth);
// "rooftile/comparison/1".
std::string comparison_json(const ComparisonReport& report);
std::string comparison_csv(const ComparisonReport& report);

}  // namespace rooftile
