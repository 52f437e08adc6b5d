// Plans to train a network, as JSON and CSV.
#include <iterator>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/report/input_json.hpp"
#include "rooftile/report/json_text.hpp"
#include "rooftile/report/memory_json.hpp"
#include "rooftile/report/plan.hpp"
#include "rooftile/report/price_json.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

template <class Q>
Json value_or_null(const std::optional<Q>& quantity) {
  return quantity ? Json(quantity->value()) : Json(nullptr);
}

Json option_json(const TrainingPlan& plan, const TrainingOption& option) {
  const PlannedGpu& gpu = plan.gpus[option.gpu];
  Json json = {{"gpu", gpu.id},
               {"gpus", option.gpus},
               {"batch_size", option.batch},
               {"global_batch_size", option.global_batch},
               {"iterations", option.iterations},
               {"link", option.link.empty() ? Json(nullptr) : Json(option.link)},
               {"step_s", option.step.value()},
               {"added_by_gpus_s", value_or_null(option.added)},
               {"memory_bytes", memory_json(option.memory)},
               {"input", option.input ? input_json(*option.input) : Json(nullptr)},
               {"time_s", option.time.value()}};
  if (option.step_range) {
    json["time_low_s"] = option.time_low().value();
    json["time_high_s"] = option.time_high().value();
  }
  json["cost_usd"] = option.cost.value();
  json["usd_per_gpu_hour"] = gpu.price.usd_per_hour();
  json["price_source"] = gpu.price.source;
  json["price"] = price_json(gpu.price);
  json["meets"] = option.meets;
  json["warnings"] = option.warnings;
  return json;
}

}  // namespace

std::string plan_json(const PlanReport& report) {
  const TrainingPlan& plan = report.plan;
  Json json = {{"schema", "rooftile/plan/1"},
               {"model", plan.model},
               {"samples", report.task.samples},
               {"epochs", report.task.epochs},
               {"precision", plan.precision},
               {"method", plan.method},
               {"scaling", plan.fitted_scaling ? "fitted" : name_of(report.choices.scaling)},
               {"optimizer", name_of(report.choices.predict.optimizer)},
               {"cautious", report.choices.cautious},
               {"deadline_s", value_or_null(report.task.deadline)},
               {"budget_usd", value_or_null(report.task.budget)},
               {"stopped", plan.stopped},
               {"best", plan.best ? option_json(plan, plan.options[*plan.best]) : Json(nullptr)},
               {"best_of_gpus", Json::array()},
               {"front", Json::array()},
               {"ruled_out", Json::array()},
               {"notes", plan.notes}};
  for (const std::size_t i : plan.best_of_gpus) json["best_of_gpus"].push_back(option_json(plan, plan.options[i]));
  for (const std::size_t i : plan.front) json["front"].push_back(option_json(plan, plan.options[i]));
  for (const RuledOut& gpu : plan.ruled_out) json["ruled_out"].push_back({{"gpu", gpu.gpu}, {"why", gpu.why}});
  return json_text(json);
}

std::string plan_csv(const PlanReport& report) {
  const TrainingPlan& plan = report.plan;
  std::string text =
      "gpu,gpus,batch_size,global_batch_size,iterations,link,step_s,added_by_gpus_s,memory_bytes,time_s,time_low_s,"
      "time_high_s,cost_usd,usd_per_gpu_hour,meets,warnings\n";
  for (const TrainingOption& option : plan.options) {
    const PlannedGpu& gpu = plan.gpus[option.gpu];
    const auto end = [&](Seconds time) { return option.step_range ? fmt::format("{:.6g}", time.value()) : ""; };
    fmt::format_to(std::back_inserter(text),
                   "{},{},{},{},{:.17g},{},{:.6g},{},{:.17g},{:.6g},{},{},{:.6g},{:.6g},{},{}\n", gpu.id, option.gpus,
                   option.batch, option.global_batch, option.iterations, option.link, option.step.value(),
                   option.added ? fmt::format("{:.6g}", option.added->value()) : "", option.memory.total().value(),
                   option.time.value(), end(option.time_low()), end(option.time_high()), option.cost.value(),
                   gpu.price.usd_per_hour(), option.meets ? 1 : 0, option.warnings.size());
  }
  return text;
}

}  // namespace rooftile
