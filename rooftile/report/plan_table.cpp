// Plans to train a network, as text.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/planning/duration.hpp"
#include "rooftile/report/plan.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/units/text.hpp"

namespace rooftile {
namespace {

std::string dollars(Dollars cost) { return four_digits(cost.value()); }

// "10.2 h (8.1 h to 12.9 h)".
std::string time_text(const TrainingOption& option) {
  std::string text = print_duration(option.time);
  if (option.step_range) {
    text += fmt::format(" ({} to {})", print_duration(option.time_low()), print_duration(option.time_high()));
  }
  return text;
}

std::string head(const PlanReport& report) {
  const TrainingTask& task = report.task;
  const TrainingPlan& plan = report.plan;
  std::string text = fmt::format("{}: {} samples, {} {}, {}, method {}", plan.model,
                                 grouped(static_cast<double>(task.samples)), grouped(static_cast<double>(task.epochs)),
                                 task.epochs == 1 ? "epoch" : "epochs", plan.precision, plan.method);
  if (task.deadline) text += ", within " + print_duration(*task.deadline);
  if (task.budget) text += fmt::format(", for at most {} USD", dollars(*task.budget));
  return text + "\n\n";
}

std::string best_text(const PlanReport& report) {
  const TrainingOption& best = report.plan.options[*report.plan.best];
  const PlannedGpu& gpu = report.plan.gpus[best.gpu];
  const bool fastest = report.task.budget && !report.task.deadline;
  std::string text = fmt::format("  {}  {} x {}, batch {} each\n", fastest ? "fastest " : "cheapest", best.gpus, gpu.id,
                                 grouped(static_cast<double>(best.batch)));
  text += fmt::format("  time      {}\n", time_text(best));
  text += fmt::format("  cost      {} USD", dollars(best.cost));
  if (best.step_range) text += fmt::format(" ({} to {})", dollars(best.cost_low()), dollars(best.cost_high()));
  text += fmt::format(", at {:.3g} USD an hour and GPU ({})\n", gpu.price.rate.value() * 3600, gpu.price.source);
  text += fmt::format("  step      {}", print(best.step));
  if (best.gpus > 1) {
    text += fmt::format(", of which {} by {} GPUs over {}", percent(best.added.value(), best.step.value()), best.gpus,
                        best.link);
  }
  text += fmt::format("; {} of them\n", grouped(best.iterations));
  text += fmt::format("  memory    {} of each GPU\n", print(best.memory.total()));
  return text;
}

std::string options_text(const PlanReport& report, const std::vector<std::size_t>& shown, bool marks) {
  TextTable table({{"gpu"},
                   {"gpus", Align::right},
                   {"batch", Align::right},
                   {"global", Align::right},
                   {"step", Align::right},
                   {"added", Align::right},
                   {"time", Align::right},
                   {"low", Align::right},
                   {"high", Align::right},
                   {"USD", Align::right},
                   {"USD/h", Align::right},
                   {"memory", Align::right}});
  for (const std::size_t i : shown) {
    const TrainingOption& option = report.plan.options[i];
    const bool range = option.step_range.has_value();
    const PlannedGpu& gpu = report.plan.gpus[option.gpu];
    table.add({gpu.id + (marks && !option.meets ? " *" : ""), fmt::format("{}", option.gpus),
               fmt::format("{}", option.batch), fmt::format("{}", option.global_batch), print(option.step),
               option.gpus > 1 ? percent(option.added.value(), option.step.value()) : "-", print_duration(option.time),
               range ? print_duration(option.time_low()) : "-", range ? print_duration(option.time_high()) : "-",
               dollars(option.cost), fmt::format("{:.3g}", gpu.price.rate.value() * 3600),
               print(option.memory.total())});
  }
  return table.text();
}

std::string ruled_out_text(const TrainingPlan& plan) {
  if (plan.ruled_out.empty()) return "";
  TextTable table({{.header = "ruled out"}, {.header = "why", .max_width = 100}});
  for (const RuledOut& gpu : plan.ruled_out) table.add({gpu.gpu, gpu.why});
  return "\n" + table.text();
}

std::string notes(const PlanReport& report) {
  const TrainingChoices& choices = report.choices;
  std::string text =
      "\n  Epochs are enough whatever the batch: whether the network learns as well with it is not asked.\n";
  text += choices.scaling == Scaling::measured
              ? "  What several GPUs add is fitted to measured training runs of one machine.\n"
              : "  What several GPUs add is their all-reduce alone, after the step: the least.\n";
  text += fmt::format("  Memory: weights, gradients, activations, the state of {}; at most {} of the GPU's.\n",
                      name_of(choices.optimizer), percent(choices.memory_share, 1));
  text += fmt::format("  Bounds hold for the {} of each time. Reading data is not part of it.\n",
                      choices.cautious ? "upper end" : "predicted middle");
  return text;
}

}  // namespace

std::string plan_table(const PlanReport& report) {
  const TrainingPlan& plan = report.plan;
  bool marked = false;
  for (const std::size_t i : plan.front) marked = marked || !plan.options[i].meets;
  return head(report) + best_text(report) + "\nBest of each GPU that meets the bounds\n" +
         options_text(report, plan.best_of_gpus, false) + "\nNothing is both faster and cheaper\n" +
         options_text(report, plan.front, true) + (marked ? "  *: does not meet the bounds\n" : "") +
         ruled_out_text(plan) + notes(report);
}

}  // namespace rooftile
