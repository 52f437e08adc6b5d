// Plans to train a network, as text.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/duration.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/report/input.hpp"
#include "rooftile/report/plan.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kPlanWidth = 74;            // of text that is broken into lines, without the indent
constexpr std::string_view kPlanIndent = "    ";  // of lines that go on

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
  std::string text =
      fmt::format("{}: {}, {}, {}, method {}", plan.model, counted(static_cast<std::size_t>(task.samples), "sample"),
                  counted(static_cast<std::size_t>(task.epochs), "epoch"), plan.precision, plan.method);
  if (task.deadline) text += ", within " + print_duration(*task.deadline);
  if (task.budget) text += fmt::format(", for at most {} USD", dollars(*task.budget));
  return text + "\n\n";
}

std::string best_text(const PlanReport& report) {
  const TrainingOption& best = report.plan.options[*report.plan.best];
  const PlannedGpu& gpu = report.plan.gpus[best.gpu];
  const bool fastest = report.task.budget && !report.task.deadline;
  std::string text = fmt::format("  {}  {} x {}, batch {} each\n", fastest ? "fastest " : "cheapest",
                                 grouped(best.gpus), gpu.id, grouped(static_cast<double>(best.batch)));
  text += fmt::format("  time      {}\n", time_text(best));
  std::string cost = fmt::format("{} USD", dollars(best.cost));
  if (best.step_range) cost += fmt::format(" ({} to {})", dollars(best.cost_low()), dollars(best.cost_high()));
  cost += fmt::format(", at {:.3g} USD per GPU-hour ({})", gpu.price.usd_per_hour(), gpu.price.source);
  text += fmt::format("  cost      {}\n", wrapped(cost, 68, std::string(12, ' ')));
  text += fmt::format("  step      {}", print(best.step));
  if (best.gpus > 1) {
    text += best.added ? fmt::format(", {} of it added by {} GPUs over {}",
                                     percent(best.added->value(), best.step.value()), grouped(best.gpus), best.link)
                       : " of all GPUs";
  }
  text += fmt::format("; {} steps\n", grouped(best.iterations));
  if (best.input) text += "  input     " + wrapped(input_text(*best.input), 68, std::string(12, ' ')) + "\n";
  text += fmt::format("  memory    {} per GPU\n", print(best.memory.total()));
  for (const std::string& warning : best.warnings)
    text += "  warning   " + wrapped(warning, kPlanWidth - 10, "              ") + "\n";
  return text;
}

// "8 x t4"; a star where it does not meet the bounds, an exclamation mark where a fitted time has a warning.
std::string gpus_text(const PlanReport& report, const TrainingOption& option) {
  return fmt::format("{} x {}{}{}", grouped(option.gpus), report.plan.gpus[option.gpu].id, option.meets ? "" : " *",
                     option.warnings.empty() ? "" : " !");
}

std::string options_text(const PlanReport& report, const std::vector<std::size_t>& shown, std::size_t width) {
  const std::vector<TrainingOption>& options = report.plan.options;
  const bool ranges = std::any_of(shown.begin(), shown.end(), [&](std::size_t i) { return options[i].step_range; });
  std::vector<TextTable::Column> columns = {{"GPUs", Align::left, Cut::never}};
  for (const char* name : {"batch", "global", "step", "added", "time"}) columns.push_back({name, Align::right});
  if (ranges) columns.insert(columns.end(), {{"low", Align::right}, {"high", Align::right}});
  columns.insert(columns.end(), {{"USD", Align::right}, {"USD/h", Align::right}});
  TextTable table(std::move(columns));
  for (const std::size_t i : shown) {
    const TrainingOption& option = options[i];
    std::vector<std::string> cells = {
        gpus_text(report, option),
        grouped(static_cast<double>(option.batch)),
        grouped(static_cast<double>(option.global_batch)),
        print(option.step),
        option.gpus > 1 && option.added ? percent(option.added->value(), option.step.value()) : "-",
        print_duration(option.time)};
    if (ranges) {
      cells.push_back(option.step_range ? print_duration(option.time_low()) : "-");
      cells.push_back(option.step_range ? print_duration(option.time_high()) : "-");
    }
    cells.push_back(dollars(option.cost));
    cells.push_back(fmt::format("{:.3g}", report.plan.gpus[option.gpu].price.usd_per_hour()));
    table.add(std::move(cells));
  }
  return table.text(width);
}

// A line a reason, with all GPUs that have it.
std::string ruled_out_text(const TrainingPlan& plan) {
  std::vector<std::pair<std::string, std::string>> reasons;  // GPUs, why
  for (const RuledOut& gpu : plan.ruled_out) {
    const auto same = std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.second == gpu.why; });
    if (same == reasons.end()) {
      reasons.emplace_back(gpu.gpu, gpu.why);
    } else {
      same->first += ", " + gpu.gpu;
    }
  }
  std::string text = reasons.empty() ? "" : "\nRuled out\n";
  for (const auto& [gpus, why] : reasons) {
    text += fmt::format("  {}\n", wrapped(fmt::format("{}: {}", gpus, why), kPlanWidth, kPlanIndent));
  }
  return text;
}

std::string notes(const PlanReport& report) {
  const TrainingChoices& choices = report.choices;
  std::vector<std::string> notes = {
      "Assumes the same number of epochs at any batch size: the effect of the batch on learning is not modelled."};
  if (report.plan.fitted_scaling) {
    notes.emplace_back("The step time on several GPUs is that of the fitted model: nothing is added to it.");
  } else {
    notes.emplace_back(
        choices.scaling == Scaling::links
            ? "Several GPUs add the all-reduce over their links after the step, and what replicas lose to the slowest."
            : "Several GPUs add the all-reduce through the host's memory after the step, and what replicas lose to the "
              "slowest.");
  }
  notes.push_back(fmt::format("Memory: weights, gradients, activations and {} state; at most {} of the GPU's.",
                              name_of(choices.predict.optimizer), percent(choices.memory_share, 1)));
  const bool fed = choices.predict.feeding != nullptr;
  notes.push_back(fmt::format("Bounds apply to the {} of each time.{}",
                              choices.cautious ? "upper end" : "central prediction",
                              fed ? "" : " Data loading is not included."));
  notes.insert(notes.end(), report.plan.notes.begin(), report.plan.notes.end());
  std::string text = "\n";
  for (const std::string& note : notes) text += "  " + wrapped(note, kPlanWidth, kPlanIndent) + "\n";
  return text;
}

// What the marks say that some option shown has.
std::string legend(const PlanReport& report) {
  std::vector<std::size_t> shown = report.plan.front;
  shown.insert(shown.end(), report.plan.best_of_gpus.begin(), report.plan.best_of_gpus.end());
  bool late = false, beyond = false;
  for (const std::size_t i : shown) {
    late = late || !report.plan.options[i].meets;
    beyond = beyond || !report.plan.options[i].warnings.empty();
  }
  return std::string(late ? "  *: does not meet the bounds\n" : "") +
         (beyond ? "  !: beyond the range of the fit, or something is left out: see the JSON\n" : "");
}

}  // namespace

std::string plan_table(const PlanReport& report, std::size_t width) {
  const TrainingPlan& plan = report.plan;
  return head(report) + best_text(report) + "\nBest option for each GPU within the bounds\n" +
         options_text(report, plan.best_of_gpus, width) + "\nPareto front of time and cost\n" +
         options_text(report, plan.front, width) + legend(report) + ruled_out_text(plan) + notes(report);
}

}  // namespace rooftile
