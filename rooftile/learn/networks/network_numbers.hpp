// What a measured run is in numbers: its own columns, what follows from its operators, and what its GPU can do.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/validate/measured_tables.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

using Numbers = std::map<std::string, double, std::less<>>;

// A number that RunNumbers adds to a row's own columns.
struct RunColumn {
  std::string_view name, meaning;
};
std::vector<RunColumn> run_columns();

// The numbers of rows, each network worked out once. What does not follow for a row (the work of a network that nobody
// described, the depth of one that has none) is not there.
class RunNumbers {
 public:
  // `analytic`: analytic_s too, which takes the most time.
  explicit RunNumbers(bool analytic) : analytic_(analytic) {}

  // Every cell that is a number except measured times, and run_columns(). The batch of a table is that of all GPUs
  // together. `share`: the network of the row with one GPU's share of the batch; null: by the name in the row.
  Numbers of(const MeasuredTable& table, const LayerRow& row, GpuCache& gpus, const Workload* share = nullptr);

 private:
  void add_work(Numbers& numbers, const LayerRow& row, GpuCache& gpus, const Workload* share) const;

  const Numbers& work_of_network(const LayerRow& row, GpuCache& gpus);

  bool analytic_;
  std::map<std::string, Numbers> networks_;  // by everything that decides the work
};

}  // namespace rooftile
