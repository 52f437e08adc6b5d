// How a network is trained, in what plan and schedule say with --set beside a prediction's own settings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/ops/optimizer.hpp"
#include "rooftile/planning/data_parallel.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::cli {

struct TrainingSettings {
  Scaling scaling = Scaling::links;
  Optimizer optimizer = Optimizer::adam;
  bool cautious = false;  // deadline and budget are to hold at the upper end of the interval
};

// Of a GPU's memory, what training leaves free: 1 - TrainingChoices::memory_share.
constexpr double kUsualHeadroom = 0.2;

// What take_training() takes, for the help: "optimizer (sgd, …), scaling (links, host-memory)".
std::string training_settings();

// Takes what is of training out of the settings: optimizer, scaling, cautious.
Result<TrainingSettings> take_training(Settings& set);

// The network at a batch size of one's choice, with the other options of `arguments`.
std::function<Result<Workload>(std::int64_t)> workload_by_batch(const PredictionArguments& arguments,
                                                                const std::string& model);

}  // namespace rooftile::cli
