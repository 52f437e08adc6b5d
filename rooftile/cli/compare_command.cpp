// rooftile compare: networks on many GPUs, one row each.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/headroom_option.hpp"
#include "rooftile/cli/help.hpp"
#include "rooftile/cli/interrupt.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/price_options.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cli/script.hpp"
#include "rooftile/cli/write_study.hpp"
#include "rooftile/compare/compare.hpp"
#include "rooftile/compare/grid.hpp"
#include "rooftile/compare/question.hpp"
#include "rooftile/compare/study.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/report/comparison.hpp"
#include "rooftile/validate/filter.hpp"

namespace rooftile::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> models, gpus;
  std::vector<std::string> batches;  // numbers or "max"; empty: the model's own
  PredictionArguments prediction;
  std::vector<std::string> precisions;  // or "best"; empty: the model's own
  std::string baseline, sort, study;
  std::optional<Filter> where;
  std::optional<Question> question;
  std::optional<std::int64_t> samples;
  std::int64_t epochs = 1;
  double headroom = 0;  // share of a GPU's memory that stays free
  std::optional<Grid> grid;
  bool buy = false;
  PriceArguments prices;
  std::optional<ComparisonChart> chart;  // none: what the rows allow
  OutputArguments output;
};

std::string drawn(const ComparisonReport& report) {
  return comparison_chart(report.comparison, fitting_chart(report.comparison));
}

constexpr Writers<const ComparisonReport&> kComparisonWriters = {
    {Format::table, comparison_table}, {Format::json, comparison_json},
    {Format::csv, comparison_csv},     {Format::svg, drawn},
    {Format::html, comparison_page},
};

// --- the task --------------------------------------------------------------------------------------------------------

// The workloads of a model that were loaded last: as many as the batch sizes that a precision asks for in turn, that
// compared and the smallest, by which the largest is found. Precisions share them.
class Loaded {
 public:
  // `once`: what it is read from can be read once only.
  Loaded(std::string name, bool once) : name_(std::move(name)), once_(once) {}

  Result<std::shared_ptr<const Workload>> at(const PredictionArguments& arguments, PredictOptions& options) {
    const auto batch = once_ ? std::nullopt : arguments.batch_size;
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == batch; });
    if (known != kept_.end()) return as_asked(known->second, arguments, options);
    if (kept_.size() == kMost) kept_.erase(kept_.begin());
    kept_.emplace_back(batch, std::make_shared<const Workload>(TRY(load_workload(name_, arguments))));
    return as_asked(kept_.back().second, arguments, options);
  }

 private:
  static Result<std::shared_ptr<const Workload>> as_asked(const std::shared_ptr<const Workload>& loaded,
                                                          const PredictionArguments& arguments,
                                                          PredictOptions& options) {
    if (arguments.precision) {
      TRY(set_network_options(*loaded, arguments, options));
      return loaded;
    }
    return std::make_shared<const Workload>(TRY(as_network(*loaded, arguments, options)));
  }

  static constexpr std::size_t kMost = 2;

  std::string name_;
  bool once_;
  // By batch size, the oldest first.
  std::vector<std::pair<std::optional<std::int64_t>, std::shared_ptr<const Workload>>> kept_;
};

// Loads the model at whatever batch it is asked for.
CompareTask::Model model_of(const std::string& name, const PredictionArguments& given) {
  const bool once = name == "-" || is_script(name);
  return {
      .name = name,
      .at = [loaded = Loaded(name, once), &given](std::optional<std::int64_t> batch,
                                                  std::optional<RunPrecision> precision) mutable -> Result<NetworkAt> {
        PredictionArguments arguments = given;
        arguments.batch_size = batch;
        if (precision) {
          arguments.precision = precision->dtype;
          arguments.run.autocast = precision->autocast;
        }
        PredictOptions options = predict_options(arguments);
        TRY(check(options));
        auto workload = TRY(loaded.at(arguments, options));
        const Phase phase = phase_of(arguments, *workload);
        return NetworkAt{std::move(workload), std::move(options), phase};
      },
      .any_batch = !once};
}

// What frameworks offer without another network: FP8 needs scales, integers a calibration.
std::vector<RunPrecision> floating_precisions(const CompareArguments& arguments) {
  const bool trains = arguments.prediction.phase.value_or(Phase::fwd) != Phase::fwd;
  return {{DType::fp32}, {DType::tf32}, {DType::fp16, trains}, {DType::bf16, trains}};
}

std::vector<std::vector<RunPrecision>> precisions_of(const CompareArguments& arguments) {
  std::vector<std::vector<RunPrecision>> precisions;
  for (const std::string& text : arguments.precisions) {
    const auto one = parse_run_precision_option("--precision", text);  // "best" is none
    precisions.push_back(one ? std::vector{*one} : floating_precisions(arguments));
  }
  return precisions;
}

std::vector<CompareTask::Batch> batches_of(const CompareArguments& arguments) {
  std::vector<CompareTask::Batch> batches;
  for (const std::string& text : arguments.batches) {
    const auto size = parse_count("--batch-size", text, kMaxDimension);  // "max" is none
    batches.push_back({size ? std::optional(*size) : std::nullopt, !size});
  }
  if (batches.empty()) batches.emplace_back();
  return batches;
}

Result<std::optional<std::size_t>> place_in(const std::vector<Gpu>& gpus, const std::string& selector,
                                            const std::string& option) {
  if (selector.empty()) return std::nullopt;
  const std::string id = TRY(gpu_of_option(selector, option)).id;
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.id == id; });
  if (found == gpus.end()) return fail(ErrorCode::usage, fmt::format("{} is not among --gpus", id), option);
  return static_cast<std::size_t>(found - gpus.begin());
}

Result<CompareTask> task_of(const CompareArguments& arguments, const CostTable& costs) {
  CompareTask task;
  for (const std::string& model : arguments.models) {
    task.models.push_back(model_of(model, arguments.prediction));
    if (!task.models.back().any_batch && arguments.batches.size() > 1) {
      return fail(ErrorCode::usage, fmt::format("{} is read once, at one batch size", model), "--batch-size");
    }
  }
  task.batches = batches_of(arguments);
  task.precisions = precisions_of(arguments);
  task.gpus = TRY(gpus_of_option(arguments.gpus, "--gpus"));
  task.baseline = TRY(place_in(task.gpus, arguments.baseline, "--baseline"));
  task.prices = TRY(price_rules(arguments.prices, task.gpus, arguments.buy));
  task.costs = &costs;
  task.memory_share = 1 - arguments.headroom;
  if (arguments.samples) task.samples = static_cast<double>(*arguments.samples);
  task.epochs = static_cast<double>(arguments.epochs);
  task.grid = arguments.grid;
  task.threads = machine_threads();
  task.stop = &InterruptAsked::flag();
  return task;
}

// --- order, and rows that are meant ----------------------------------------------------------------------------------

// Each is moved once.
template <class Before>
void sort_stably(std::vector<ComparedRun>& runs, const Before& before) {
  std::vector<ComparedRun*> order;
  for (ComparedRun& run : runs) order.push_back(&run);
  std::stable_sort(order.begin(), order.end(),
                   [&](const ComparedRun* a, const ComparedRun* b) { return before(*a, *b); });
  std::vector<ComparedRun> sorted;
  sorted.reserve(runs.size());
  for (ComparedRun* run : order) sorted.push_back(std::move(*run));
  runs = std::move(sorted);
}

// By a column, the best first. What is not known is last, and so, without a column, is what does not fit.
void sort_runs(std::vector<ComparedRun>& runs, const std::string& column) {
  if (column.empty()) {
    return sort_stably(runs, [](const ComparedRun& a, const ComparedRun& b) {
      if (a.fits() != b.fits()) return a.fits();
      return a.samples_per_second() > b.samples_per_second();
    });
  }
  const bool most_first = most_is_best(column);
  sort_stably(runs, [&](const ComparedRun& a, const ComparedRun& b) {
    const std::string left = comparison_cell(a, column), right = comparison_cell(b, column);
    if (left.empty() || right.empty()) return !left.empty() && right.empty();
    const auto x = parse_number(left), y = parse_number(right);
    if (!x || !y) return left < right;
    return most_first ? *x > *y : *x < *y;
  });
}

// Errors: nothing is left of what there was.
Result<void> keep_where(std::vector<ComparedRun>& runs, const Filter& where) {
  const std::size_t before = runs.size();
  std::erase_if(runs, [&](const ComparedRun& run) {
    std::string cell;  // as long as it is looked at
    return !where.matches(
        [&](const std::string& column) -> std::string_view { return cell = comparison_cell(run, column); });
  });
  if (!runs.empty() || before == 0) return {};
  return fail(ErrorCode::not_found,
              before == 1 ? "the only row does not match" : fmt::format("none of {} rows matches", before), "--where");
}

Result<void> check_columns(const CompareArguments& arguments) {
  const std::vector<std::string> known = comparison_columns();
  const auto check_one = [&](const std::string& option, const std::string& name) -> Result<void> {
    if (std::find(known.begin(), known.end(), name) != known.end()) return {};
    return fail(ErrorCode::usage, fmt::format("no column '{}'{}", name, one_of(name, known)), option);
  };
  if (!arguments.sort.empty()) TRY(check_one("--sort", arguments.sort));
  if (!arguments.where) return {};
  for (const Filter::Use& use : arguments.where->columns()) TRY(check_one("--where", use.column));
  return {};
}

// The GPUs of a question as the catalogue names them.
Result<Question> with_ids(Question question, const std::vector<Gpu>& gpus) {
  for (std::string* gpu : {&question.from, &question.to}) {
    const auto place = TRY(place_in(gpus, *gpu, "--question"));
    if (place) *gpu = gpus[*place].id;
  }
  return question;
}

Result<void> write(const CompareArguments& arguments, const ComparisonReport& report) {
  const OutputArguments& output = arguments.output;
  if (!is_picture(output.format)) return write_report(output, kComparisonWriters, report);
  const ComparisonChart chart = arguments.chart.value_or(fitting_chart(report.comparison));
  if (std::string why = nothing_to_draw(report.comparison, chart); !why.empty()) {
    for (const std::string& line : report.comparison.left_out) write_error(line);
    return fail(ErrorCode::not_found, std::move(why), output.file);
  }
  return write_picture(output.file, comparison_chart(report.comparison, chart), output.format);
}

// What a table of figures or a picture has no room for.
void say_answers(const CompareArguments& arguments, const std::vector<std::string>& answers) {
  const Format format = arguments.output.format;
  if (format != Format::csv && !is_picture(format)) return;
  for (const std::string& answer : answers) write_error(answer);
}

Result<void> run(CompareArguments& arguments) {
  if (!arguments.study.empty()) return write_study(arguments.study, arguments.output);
  TRY(complete(arguments.prediction));
  TRY(check_columns(arguments));
  if (arguments.chart && !is_picture(arguments.output.format)) {
    return usage("--chart needs a picture: -o FILE.svg");
  }
  const CostTable costs = TRY(load_costs({}));
  CompareTask task = TRY(task_of(arguments, costs));
  if (arguments.question) arguments.question = TRY(with_ids(*arguments.question, task.gpus));
  const InterruptAsked signals;
  ComparisonReport report;
  report.boards = arguments.buy;
  {
    Progress progress("predictions");
    const OneSecondToStop limit;
    task.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
    report.comparison = TRY(compare(task));
  }
  if (report.comparison.stopped) InterruptAsked::say_partial("some GPUs or batches were not looked at");
  for (const std::string& note : report.comparison.notes) write_error(note);
  if (arguments.where) TRY(keep_where(report.comparison.runs, *arguments.where));
  if (arguments.question) report.answers = TRY(answers(*arguments.question, report.comparison));
  say_answers(arguments, report.answers);
  sort_runs(report.comparison.runs, arguments.sort);
  return write(arguments, report);
}

// --- options ---------------------------------------------------------------------------------------------------------

// A country of the table, or grams of CO2 a kilowatt-hour.
Result<std::optional<Grid>> parse_grid(const std::string& option, const std::string& text) {
  if (auto grid = grid_of(text)) return grid;
  constexpr double kMost = 5000;
  const auto grams = parse_number(text);
  if (grams && *grams >= 0 && *grams <= kMost) return Grid{.grams_per_kwh = *grams};
  return fail(ErrorCode::usage,
              fmt::format("'{}' is neither grams of CO2 a kWh nor one of {}", text, fmt::join(grid_ids(), ", ")),
              option);
}

CLI::Option* add_list(CLI::App* app, const std::string& names, std::vector<std::string>& list, const char* kind,
                      const std::string& help, Result<void> (*check_one)(const std::string&, const std::string&)) {
  return add_value(
      app, names, list, kind,
      [check_one](const std::string& name, const std::string& text) -> Result<std::vector<std::string>> {
        auto texts = TRY(parse_list(name, text));
        for (const std::string& one : texts) TRY(check_one(name, one));
        return texts;
      },
      help);
}

// In place of those that `predict` has: several batches, and the best precision.
void add_choices(CLI::App* app, CompareArguments& arguments) {
  app->remove_option(app->get_option("--batch-size"));
  add_list(app, "-b,--batch-size", arguments.batches, "N,…|max",
           "samples per batch, several with commas; max: as many as fit",
           [](const std::string& name, const std::string& one) -> Result<void> {
             if (one != "max") TRY(parse_count(name, one, kMaxDimension));
             return {};
           });
  app->get_option("--batch-size")->group("Prediction");
  CLI::Option* precision = app->get_option("--precision");
  const std::string kind = precision->get_type_name(), help = precision->get_description();
  app->remove_option(precision);
  add_list(
      app, "--precision", arguments.precisions, "",
      help +
          "; several with commas; best: the fastest floating-point one, with --baseline of those that both GPUs have",
      [](const std::string& name, const std::string& one) -> Result<void> {
        if (one != "best") TRY(parse_run_precision_option(name, one));
        return {};
      });
  app->get_option("--precision")->type_name(kind + ",…|best")->group("Prediction");
}

template <class Value, class Read>
void add_row_option(CLI::App* app, const std::string& name, Value& value, const char* kind, Read read,
                    const std::string& help) {
  add_value(app, name, value, kind, read, help)->group("Rows");
}

// Which rows there are, what they have and how they are sorted.
void add_row_options(CLI::App* app, CompareArguments& arguments) {
  constexpr std::int64_t kMostSamples = std::int64_t{1} << 50, kMostEpochs = 1000000;
  add_text(app, "--baseline", arguments.baseline, "ID", "the GPU that the others are compared with");
  add_count(app, "--samples", arguments.samples, kMostSamples,
            "samples in all, or in an epoch: adds their time and cost")
      ->group("Rows");
  add_count(app, "--epochs", arguments.epochs, kMostEpochs, "passes over the samples")
      ->needs(app->get_option("--samples"));
  add_rare(app, {add_headroom(app, arguments.headroom)});
  add_row_option(app, "--grid", arguments.grid, "COUNTRY|N", parse_grid,
                 fmt::format("adds the CO2 of a million samples: grams per kWh, or {}", fmt::join(grid_ids(), ", ")));
  app->add_flag("--buy", arguments.buy, "adds what a board costs, and after how long buying beats renting");
  add_text(app, "--sort", arguments.sort, "FIGURE", "a column of the CSV (default: throughput, what fits first)")
      ->group("Rows");
  add_row_option(
      app, "--where", arguments.where, "CONDITION",
      [](const std::string& option, const std::string& text) -> Result<Filter> {
        auto filter = Filter::parse(text);
        if (!filter) return fail(filter.error().code, filter.error().text(), option);
        return *std::move(filter);
      },
      "rows to show, by columns of the CSV: 'fits and usd_per_hour < 2'");
  add_row_option(
      app, "--question", arguments.question, "QUESTION",
      [](const std::string& option, const std::string& text) -> Result<Question> {
        auto question = parse_question(text);
        if (!question && question.error().where.empty()) question.error().where = option;
        return question;
      },
      "answered in a sentence: 'cheapest in 24 h', 'fastest under 2 USD an hour', 'upgrade from X to Y', 'which "
      "batch'");
  for (CLI::Option* option : add_price_options(app, arguments.prices)) option->group("Rows");
}

CLI::Option* add_study(CLI::App* app, CompareArguments& arguments) {
  CLI::Option* study = add_text(
      app, "--study", arguments.study, "STUDY|FILE",
      fmt::format("in place of other options: applications, GPUs and host of a study, {}, or a .toml file; -o FOLDER "
                  "for its table and charts",
                  fmt::join(study_ids(), " or ")));
  study->group("Output");
  return study;
}

// A study has its own.
void exclude_all_but_output(CLI::App* app, CLI::Option* study) {
  for (CLI::Option* option : app->get_options()) {
    const bool help = option->check_lname("help") || option->check_lname("help-all");
    const bool output = option->check_lname("output") || option->check_lname("format");
    if (option != study && !help && !output) study->excludes(option);
  }
}

}  // namespace

void add_compare(CommandList& commands) {
  auto [app, arguments] =
      commands.add<CompareArguments>("compare", "Compare GPUs for networks: time, cost, memory, power",
                                     "rooftile compare resnet50 --gpus t4,l4,a10 -b 64 --precision fp16", run);
  CLI::Option* models = add_texts(app, "MODEL", arguments.models, "MODEL", "as 'predict' takes them");
  CLI::Option* gpus = add_list(app, "--gpus,--gpu", arguments.gpus, "ID|all|vendor:nvidia|vendor:amd|memory>=SIZE,…",
                               "catalogue ids, parts of them, .toml files; SIZE as in memory>=24GB",
                               [](const std::string&, const std::string&) -> Result<void> { return {}; });
  add_prediction_options(app, arguments.prediction);
  add_choices(app, arguments);
  add_row_options(app, arguments);
  for (const char* rare :
       {"--baseline", "--epochs", "--grid", "--buy", "--price-kind", "--method", "--set", "--execution"}) {
    add_rare(app, {app->get_option(rare)});
  }
  add_output_options(app, arguments.output, kComparisonWriters);
  CLI::Option* study = add_study(app, arguments);
  commands.need_any(app, {models, study});
  commands.need_any(app, {gpus, study});
  add_choice<ComparisonChart>(
      app, "--chart", arguments.chart,
      {{"scatter", ComparisonChart::scatter}, {"bars", ComparisonChart::bars}, {"batches", ComparisonChart::batches}},
      "which picture: time against cost, throughput, throughput by batch (default: what the rows allow)")
      ->group("Output");
  exclude_all_but_output(app, study);
}

}  // namespace rooftile::cli
