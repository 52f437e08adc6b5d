#include "rooftile/cli/training_options.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/ingest/model.hpp"

namespace rooftile::cli {

std::string training_settings() {
  return fmt::format("optimizer ({}; default: {}), scaling (links, host-memory)", fmt::join(optimizer_names(), ", "),
                     name_of(TrainingSettings().optimizer));
}

Result<TrainingSettings> take_training(Settings& set) {
  TrainingSettings training;
  if (const auto scaling = set.columns.extract("scaling")) {
    const auto name = TRY(parse_choice("--set", scaling.mapped(), {"links", "host-memory"}));
    training.scaling = name == "links" ? Scaling::links : Scaling::host_memory;
  }
  if (set.optimizer) training.optimizer = *std::exchange(set.optimizer, {});
  set.named.erase("optimizer");
  if (const auto cautious = set.columns.extract("cautious")) {
    training.cautious = TRY(parse_choice("--set", cautious.mapped(), {"yes", "no"})) == "yes";
  }
  return training;
}

std::function<Result<Workload>(std::int64_t)> workload_by_batch(const PredictionArguments& arguments,
                                                                const std::string& model) {
  return [options = model_options(arguments), model](std::int64_t batch) mutable {
    options.batch_size = batch;
    return load_model(model, options);
  };
}

}  // namespace rooftile::cli
