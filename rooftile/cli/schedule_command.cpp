// rooftile schedule JOBS.csv: a schedule for jobs on a cluster.
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/headroom_option.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/picture.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/stored_fitted.hpp"
#include "rooftile/cli/training_options.hpp"
#include "rooftile/planning/job_queue.hpp"
#include "rooftile/planning/scheduler.hpp"
#include "rooftile/planning/training_plan.hpp"
#include "rooftile/report/schedule.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t kExactJobs = 8;  // searched exactly without being asked

constexpr Writers<const ScheduleReport&> kScheduleWriters = {
    {Format::table, schedule_table}, {Format::json, schedule_json}, {Format::csv, schedule_csv}};

struct ScheduleArguments {
  std::string queue, cluster;      // files
  PredictionArguments prediction;  // without GPUs, batch size and precision
  TrainingSettings training;
  double headroom = 0;                         // share of a GPU's memory that stays free
  std::map<std::string, std::string> columns;  // of a fitted model
  std::uint64_t seed = 1;
  bool exact = false;  // though the queue is long
  std::string gantt;   // an SVG besides; empty: none
  OutputArguments output;
};

// The time to train a job on each number of GPUs up to `most_gpus` that splits its batch.
Result<std::map<int, Seconds>> training_times(const ScheduleArguments& arguments, const regression::FittedModel* fitted,
                                              const QueuedJob& job, const Gpu& gpu, int most_gpus,
                                              std::set<std::string>& warnings) {
  TrainingTask task;
  task.model = job.model;
  task.samples = job.samples;
  task.epochs = job.epochs;
  task.workload_of = workload_by_batch(arguments.prediction, job.model);
  TrainingChoices choices;
  choices.gpus = {gpu};
  choices.global_batch = job.batch;
  choices.most_gpus = most_gpus;
  choices.scaling = arguments.training.scaling;
  choices.memory_share = 1 - arguments.headroom;
  choices.prices.own[gpu.id] = {DollarsPerSecond(1)};  // plays no part
  choices.predict = predict_options(arguments.prediction);
  choices.predict.precision = job.precision.dtype;
  choices.predict.autocast = job.precision.autocast;
  choices.predict.optimizer = arguments.training.optimizer;
  choices.fitted = fitted;
  choices.fitted_cells = arguments.columns;
  TRY(check(choices.predict));
  const auto plan = TRY(plan_training(task, choices));
  if (plan.options.empty()) return fail(ErrorCode::not_found, why_none(task, choices, plan));
  std::map<int, Seconds> times;
  for (const TrainingOption& option : plan.options) {
    times[option.gpus] = option.time;
    if (!option.warnings.empty())
      warnings.insert(fmt::format("job '{}' on {}: {}", job.job.name, gpu.id, option.warnings.front()));
  }
  return times;
}

Result<std::vector<Job>> read_jobs(const ScheduleArguments& arguments, const Cluster& cluster) {
  std::optional<regression::FittedModel> fitted;
  const std::string& selector = arguments.prediction.method.fitted;
  if (!selector.empty()) fitted = TRY(fitted_of_option(selector));
  const auto text = TRY(read_text_file(arguments.queue));
  const auto queue = TRY(parse_queue(text, arguments.queue, cluster));
  Progress progress("times");
  std::size_t done = 0;
  std::set<std::string> warnings;
  auto jobs = jobs_of(queue, cluster, [&](const QueuedJob& job, const Gpu& gpu, int most_gpus) {
    auto times = training_times(arguments, fitted ? &*fitted : nullptr, job, gpu, most_gpus, warnings);
    progress.show(++done, queue.size() * cluster.gpus.size());
    return times;
  });
  if (!warnings.empty()) {
    write_error(fmt::format("{} beyond the fit or without a part of the network; {}", counted(warnings.size(), "time"),
                            *warnings.begin()));
  }
  return jobs;
}

Result<void> run(ScheduleArguments& arguments) {
  const std::string output = arguments.output.file.empty() ? "-" : arguments.output.file;
  if (arguments.gantt == output) return usage("--gantt and -o name the same place; change one");
  arguments.training = TRY(take_training(arguments.prediction.set));
  if (arguments.training.cautious) return usage("--set: cautious is for plan, not schedule");
  TRY(complete(arguments.prediction));
  if (!arguments.prediction.method.fitted.empty())
    arguments.columns = TRY(fitted_run(arguments.prediction.set)).columns;
  const auto text = TRY(read_text_file(arguments.cluster, kMaxTomlFile));
  const auto cluster = TRY(parse_cluster(text, arguments.cluster));
  const auto jobs = TRY(read_jobs(arguments, cluster));

  SchedulerOptions options;
  options.seed = arguments.seed;
  const InterruptAsked signals;
  options.stop = &InterruptAsked::flag();
  Schedule schedule;
  {
    Progress progress("moves");
    options.progress = [&](std::uint64_t done, std::uint64_t all) { progress.show(done, all); };
    schedule = schedule_heuristically(jobs, cluster.machines, options);
  }
  const ScheduleCost heuristic = schedule.cost;
  std::optional<bool> proved;
  if (arguments.exact) options.starts = std::numeric_limits<std::uint64_t>::max();
  if (arguments.exact || jobs.size() <= kExactJobs) {
    Progress progress("%");
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
      constexpr double kPercent = 100;
      progress.show_part(kPercent * static_cast<double>(done) / static_cast<double>(all), kPercent);
    };
    ExactSchedule exact = schedule_exactly(jobs, cluster.machines, schedule, options);
    schedule = std::move(exact.schedule);
    proved = exact.proved;
  }
  if (InterruptAsked::flag()) InterruptAsked::say_partial("the best schedule so far");
  const ScheduleReport report{
      .jobs = jobs, .machines = cluster.machines, .schedule = schedule, .heuristic = heuristic, .proved = proved};
  if (!arguments.gantt.empty()) {
    TRY(write_picture(arguments.gantt, schedule_svg(report)));
  }
  return write_report(arguments.output, kScheduleWriters, report);
}

}  // namespace

void add_schedule(CommandList& commands) {
  auto [app, arguments] =
      commands.add<ScheduleArguments>("schedule", "Schedule a queue of training jobs on the GPUs of a cluster",
                                      "rooftile schedule jobs.csv --cluster cluster.toml --gantt gantt.svg", run);
  constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;
  add_text(app, "JOBS", arguments.queue, "FILE", "the jobs (CSV, docs/planning.md)")->required();
  add_text(app, "--cluster", arguments.cluster, "FILE", "the machines of the cluster and their GPUs (TOML)")
      ->required();
  add_headroom(app, arguments.headroom, kUsualHeadroom)->group("Prediction");
  add_method(app, arguments.prediction.method, Fitted::yes)->group("Prediction");
  add_set(app, arguments.prediction.set)
      ->description(std::string("seq-len, framework; ") + training_settings())
      ->group("Prediction");
  app->add_flag("--exact", arguments.exact, "find the best schedule even for more than 8 jobs, however long it takes")
      ->group("Search");
  add_count(app, "--seed", arguments.seed, kMostSeed, "random seed (default: 1)")->group("Search");
  add_picture(app, "--gantt", arguments.gantt, "draw the schedule");
  add_output_options(app, arguments.output, kScheduleWriters);
}

}  // namespace rooftile::cli
