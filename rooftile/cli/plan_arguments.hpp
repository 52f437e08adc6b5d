// What rooftile plan is to do, and the functions that do it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/cli/commands.hpp"
#include "rooftile/planning/data_parallel.hpp"
#include "rooftile/planning/gpu_price.hpp"
#include "rooftile/planning/training_memory.hpp"

namespace rooftile::cli {

struct PlanArguments {
  std::string model;
  std::string fitted, db;  // a fitted model in place of the analytic one; the store that knows it by name
  std::map<std::string, std::string> columns = {};  // what the tables of its fit say besides
  PredictionArguments prediction;                   // no GPU: the catalogue; the batch size is not used
  std::int64_t samples = 1, epochs = 1;
  std::optional<Seconds> deadline;
  std::optional<Dollars> budget;
  std::vector<std::int64_t> batches;  // of each GPU; empty: powers of two
  std::optional<std::int64_t> global_batch, most_global_batch;
  int most_gpus = 8;
  Scaling scaling = Scaling::measured;
  Optimizer optimizer = Optimizer::adam;
  bool cautious = false;
  double memory_share = 0.8;
  std::string prices;               // a price file; empty: none
  std::vector<std::string> priced;  // "ID=USD/h"
  PriceRules rules;                 // without the prices of these two
  std::string format, output;
};
Result<void> plan(const PlanArguments& arguments);

struct QueueArguments {
  std::string queue, cluster;  // files
  std::string fitted, db;      // as above
  std::map<std::string, std::string> columns = {};
  PredictionArguments prediction;  // without GPUs, batch size and precision
  Scaling scaling = Scaling::measured;
  Optimizer optimizer = Optimizer::adam;
  double memory_share = 0.8;
  std::uint64_t seed = 1;
  bool exact = false;  // though the queue is long
  std::string gantt;   // an SVG besides; empty: none
  std::string format, output;
};
Result<void> plan_queue(const QueueArguments& arguments);

}  // namespace rooftile::cli
