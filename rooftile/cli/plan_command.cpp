// rooftile plan MODEL: where to train a network within a deadline or a budget.
#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/plan_arguments.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/plan.hpp"

namespace rooftile::cli {
namespace {

// Those named, or the boards of the catalogue: without the paper's own versions of three of them.
Result<std::vector<Gpu>> gpus_of(const PlanArguments& arguments) {
  std::vector<Gpu> gpus;
  for (const std::string& selector : arguments.prediction.gpus) {
    auto gpu = TRY(gpu_of_option(selector));
    const bool again = std::any_of(gpus.begin(), gpus.end(), [&](const Gpu& other) { return other.id == gpu.id; });
    if (again) return usage(fmt::format("--gpu: {} is named twice", gpu.id));
    gpus.push_back(std::move(gpu));
  }
  if (!gpus.empty()) return gpus;
  for (const std::string& id : gpu_ids()) {
    if (id.ends_with("-delta")) continue;
    auto gpu = TRY(find_gpu(id));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

Result<GpuPrices> prices_of(const PlanArguments& arguments) {
  GpuPrices prices;
  if (!arguments.prices.empty()) {
    const auto text = TRY(read_text_file(arguments.prices));
    auto read = parse_gpu_prices(text, arguments.prices);
    if (!read) return read;
    prices = std::move(*read);
  }
  for (const std::string& text : arguments.priced) {
    if (auto added = add_gpu_price(prices, text); !added) {
      Error error = added.error();
      error.where = "--price";
      return tl::unexpected(std::move(error));
    }
  }
  return prices;
}

Result<TrainingChoices> choices_of(const PlanArguments& arguments) {
  TrainingChoices choices;
  choices.batches = arguments.batches;
  choices.global_batch = arguments.global_batch;
  choices.most_global_batch = arguments.most_global_batch;
  choices.most_gpus = arguments.most_gpus;
  choices.scaling = arguments.scaling;
  choices.optimizer = arguments.optimizer;
  choices.memory_share = arguments.memory_share;
  choices.cautious = arguments.cautious;
  choices.predict = predict_options(arguments.prediction);
  choices.threads = std::max(1U, std::thread::hardware_concurrency());
  TRY(check(choices.predict));
  auto gpus = TRY(gpus_of(arguments));
  choices.gpus = std::move(gpus);
  auto prices = TRY(prices_of(arguments));
  choices.prices = arguments.rules;
  choices.prices.own = std::move(prices);
  return choices;
}

// The only one of the fit, else that of a prediction that says none.
DType precision_of_fit(const regression::FittedModel& fitted) {
  const std::vector<std::string>& known = fitted.fitted_on.precisions;
  return (known.size() == 1 ? parse_dtype(known.front()) : std::nullopt).value_or(PredictOptions().precision);
}

}  // namespace

Result<void> plan(const PlanArguments& arguments) {
  const auto format = TRY(parse_format(arguments.format, arguments.output, {Format::table, Format::json, Format::csv}));
  std::optional<regression::FittedModel> fitted;
  if (!arguments.fitted.empty()) {
    auto found = TRY(fitted_of_option(arguments.fitted, arguments.db));
    fitted = std::move(found);
  }
  auto choices = TRY(choices_of(arguments));
  if (fitted) {
    choices.fitted = &*fitted;
    choices.fitted_cells = arguments.columns;
    choices.beyond_fit = !arguments.prediction.gpus.empty();
    if (!arguments.prediction.precision) choices.predict.precision = precision_of_fit(*fitted);
  }
  TrainingTask task;
  task.model = arguments.model;
  task.samples = arguments.samples;
  task.epochs = arguments.epochs;
  task.deadline = arguments.deadline;
  task.budget = arguments.budget;
  task.workload_of = [&](std::int64_t batch) {
    ModelOptions options = model_options(arguments.prediction);
    options.batch_size = batch;
    return load_model(arguments.model, options);
  };
  const InterruptAsked signals;
  choices.stop = &InterruptAsked::flag();
  Result<TrainingPlan> plan;
  {
    Progress progress("predictions");
    choices.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
    plan = plan_training(task, choices);
  }
  if (!plan) return tl::unexpected(plan.error());
  if (plan->stopped) write_error("stopped: some GPUs or batches were not looked at");
  if (!plan->best) return fail(ErrorCode::not_found, why_none(task, choices, *plan), arguments.model);
  const PlanReport report{.task = task, .choices = choices, .plan = *plan};
  switch (format) {
    case Format::json:
      return write_output(arguments.output, plan_json(report));
    case Format::csv:
      return write_output(arguments.output, plan_csv(report));
    default:
      return write_output(arguments.output, plan_table(report));
  }
}

}  // namespace rooftile::cli
