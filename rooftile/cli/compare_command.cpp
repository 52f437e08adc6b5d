// rooftile compare: a network on many GPUs, one row each.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/cli/largest_batch.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/price_options.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/cost/cost_file.hpp"
#include "rooftile/cost/validation.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/comparison.hpp"
#include "rooftile/validate/filter.hpp"

namespace rooftile::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> models, gpus;
  std::vector<std::string> batches;  // numbers or "max"; empty: the model's own
  PredictionArguments prediction;
  std::string baseline, sort;
  std::optional<Filter> where;
  PriceArguments prices;
  OutputArguments output;
};

constexpr Writers<const ComparisonReport&> kComparisonWriters = {
    {Format::table, comparison_table}, {Format::json, comparison_json}, {Format::csv, comparison_csv}};

// --- which GPUs ------------------------------------------------------------------------------------------------------

Result<std::vector<Gpu>> boards_sold() {
  std::vector<Gpu> gpus;
  for (const std::string& id : gpu_ids()) {
    if (!id.ends_with("-delta")) gpus.push_back(TRY(find_gpu(id)));  // those are of the paper's own tables
  }
  return gpus;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "all", "vendor:nvidia", "memory>=24GB", an id, a part of one, a file.
Result<std::vector<Gpu>> gpus_of(const std::string& selector) {
  if (selector == "all") return boards_sold();
  constexpr std::string_view kVendor = "vendor:", kMemory = "memory>=";
  std::function<bool(const Gpu&)> wanted;
  if (selector.starts_with(kVendor)) {
    const std::string vendor = lower(selector.substr(kVendor.size()));
    TRY(check_choice("--gpus", vendor, {"nvidia", "amd"}, {}));
    wanted = [vendor](const Gpu& gpu) { return lower(gpu.vendor) == vendor; };
  } else if (selector.starts_with(kMemory)) {
    std::string text = selector.substr(kMemory.size());
    const auto bytes = parse<Bytes>(text);
    if (!bytes) {
      return fail(ErrorCode::usage, fmt::format("'{}' is no size of memory; write memory>=24GB", selector), "--gpus");
    }
    wanted = [least = *bytes](const Gpu& gpu) { return gpu.level("DRAM").capacity >= least; };
  } else {
    return std::vector{TRY(gpu_of_option(selector))};
  }
  auto gpus = TRY(boards_sold());
  std::erase_if(gpus, [&](const Gpu& gpu) { return !wanted(gpu); });
  return gpus;
}

Result<std::vector<Gpu>> chosen_gpus(const std::vector<std::string>& selectors) {
  std::vector<Gpu> gpus;
  for (const std::string& selector : selectors) {
    for (Gpu& gpu : TRY(gpus_of(selector))) {
      const auto same = [&](const Gpu& other) { return other.id == gpu.id; };
      if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(std::move(gpu));
    }
  }
  return gpus;
}

// --- one run ---------------------------------------------------------------------------------------------------------

ComparedRun run_of(const Prediction& prediction, const Gpu& gpu, const CostModel& costs, const HardwareCost& cost,
                   const PriceRules& prices) {
  ComparedRun run;
  run.model = prediction.model;
  run.gpu = gpu.id;
  run.precision = prediction.precision_name();
  run.batch_size = prediction.batch_size * prediction.micro_batches;
  run.time = prediction.time;
  run.interval = interval_of(prediction);
  const TimeBounds by = time_by_bottleneck(prediction);
  run.limit = largest(by);
  if (prediction.host) {
    run.gpu_busy = prediction.host->gpu_busy / prediction.time;
    run.host_bound = prediction.host->waiting > prediction.host->gpu_busy;
  }
  run.memory = prediction.memory.total();
  run.capacity = gpu.level("DRAM").capacity;
  run.price = price_of(gpu, prices);
  run.energy = energy_of(prediction, gpu, costs, cost).total();
  if (gpu.tdp) run.energy = std::min(run.energy, *gpu.tdp * run.time);  // which the board holds
  return run;
}

class Comparison {
 public:
  Comparison(const CompareArguments& arguments, std::vector<Gpu> gpus)
      : arguments_(arguments), gpus_(std::move(gpus)) {}

  Result<ComparisonReport> make() {
    prices_ = TRY(price_rules(arguments_.prices));
    costs_ = TRY(load_costs({}));
    for (const Gpu& gpu : gpus_) hardware_.push_back(cost_of(gpu, TRY(cost_model_of(costs_, gpu))));
    report_.execution = name_of(arguments_.prediction.run.execution);
    for (const std::string& model : arguments_.models) {
      if (arguments_.batches.empty()) TRY(add(model, ""));
      for (const std::string& batch : arguments_.batches) TRY(add(model, batch));
    }
    return std::move(report_);
  }

 private:
  Result<void> add(const std::string& model, const std::string& batch) {
    PredictionArguments given = arguments_.prediction;
    if (!batch.empty() && batch != "max") given.batch_size = parse_whole(batch);
    PredictOptions options = predict_options(given);
    TRY(check(options));
    const auto workload = TRY(load_network(model, given, options));
    const Phase phase = phase_of(given, workload);
    report_.pass = name_of_pass(phase);
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      auto run =
          batch == "max" ? at_most(model, given, options, phase, i) : predict(workload, gpus_[i], options, phase);
      if (!run) {
        leave_out(gpus_[i].id + ": " + run.error().message);
        continue;
      }
      report_.runs.push_back(run_of(*run, gpus_[i], TRY(cost_model_of(costs_, gpus_[i])), hardware_[i], prices_));
    }
    return {};
  }

  Result<Prediction> at_most(const std::string& model, const PredictionArguments& given, const PredictOptions& options,
                             Phase phase, std::size_t gpu) const {
    const auto workload = TRY(load_largest_batch(model, model_options(given), options, phase, gpus_[gpu]));
    return predict(workload, gpus_[gpu], options, phase);
  }

  void leave_out(std::string line) {
    auto& lines = report_.left_out;
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }

  static std::optional<std::int64_t> parse_whole(const std::string& text) {
    return parse_count("--batch-size", text, kMaxDimension).value();  // checked as it was read
  }

  const CompareArguments& arguments_;
  std::vector<Gpu> gpus_;
  CostTable costs_;
  PriceRules prices_;
  std::vector<HardwareCost> hardware_;
  ComparisonReport report_;
};

// --- ratios, order, rows that are meant ------------------------------------------------------------------------------

void add_ratios(ComparisonReport& report, const std::string& baseline) {
  report.baseline = baseline;
  for (ComparedRun& run : report.runs) {
    const auto same = [&](const ComparedRun& other) {
      return other.gpu == baseline && other.model == run.model && other.batch_size == run.batch_size;
    };
    const auto found = std::find_if(report.runs.begin(), report.runs.end(), same);
    if (found != report.runs.end()) run.ratio = run.samples_per_second() / found->samples_per_second();
  }
}

// By a column, the smallest first; where it says more of something good, the most first. What is not known is last, and
// so, without a column, is what does not fit.
void sort_runs(std::vector<ComparedRun>& runs, const std::string& column) {
  if (column.empty()) {
    std::stable_sort(runs.begin(), runs.end(), [](const ComparedRun& a, const ComparedRun& b) {
      if (a.fits() != b.fits()) return a.fits();
      return a.samples_per_second() > b.samples_per_second();
    });
    return;
  }
  const bool most_first = column == "throughput_per_s" || column == "ratio" || column == "gpu_busy";
  std::stable_sort(runs.begin(), runs.end(), [&](const ComparedRun& a, const ComparedRun& b) {
    const std::string left = comparison_cell(a, column), right = comparison_cell(b, column);
    if (left.empty() || right.empty()) return !left.empty() && right.empty();
    const auto x = parse_number(left), y = parse_number(right);
    if (!x || !y) return left < right;
    return most_first ? *x > *y : *x < *y;
  });
}

Result<void> check_columns(const CompareArguments& arguments) {
  const std::vector<std::string> known = comparison_columns();
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  const auto unknown = [&](const std::string& option, const std::string& name) {
    return fail(ErrorCode::usage,
                fmt::format("no column '{}'{}; one of {}", name, did_you_mean(name, known), fmt::join(known, ", ")),
                option);
  };
  if (!arguments.sort.empty() && !is_known(arguments.sort)) return unknown("--sort", arguments.sort);
  if (!arguments.where) return {};
  for (const Filter::Use& use : arguments.where->columns()) {
    if (!is_known(use.column)) return unknown("--where", use.column);
  }
  return {};
}

Result<void> run(CompareArguments& arguments) {
  TRY(complete(arguments.prediction));
  TRY(check_columns(arguments));
  auto gpus = TRY(chosen_gpus(arguments.gpus));
  std::string baseline;
  if (!arguments.baseline.empty()) {
    baseline = TRY(gpu_of_option(arguments.baseline)).id;
    const auto is = [&](const Gpu& gpu) { return gpu.id == baseline; };
    if (std::none_of(gpus.begin(), gpus.end(), is)) {
      return fail(ErrorCode::usage, fmt::format("{} is not among --gpus", baseline), "--baseline");
    }
  }
  auto report = TRY(Comparison(arguments, std::move(gpus)).make());
  if (!baseline.empty()) add_ratios(report, baseline);
  if (arguments.where) {
    std::erase_if(report.runs, [&](const ComparedRun& one) {
      std::string cell;  // as long as it is looked at
      return !arguments.where->matches(
          [&](const std::string& column) -> std::string_view { return cell = comparison_cell(one, column); });
    });
  }
  sort_runs(report.runs, arguments.sort);
  return write_report(arguments.output, kComparisonWriters, report);
}

}  // namespace

void add_compare(CommandList& commands) {
  auto [app, arguments] =
      commands.add<CompareArguments>("compare", "Compare GPUs for a network: time, cost, memory, power",
                                     "rooftile compare resnet50 --gpus t4,l4,a10 -b 64 --precision fp16", run);
  CompareArguments& chosen = arguments;
  add_texts(app, "MODEL", chosen.models, "MODEL", "as 'predict' takes them")->required();
  const auto add_list = [app = app](const std::string& names, std::vector<std::string>& list, const char* kind,
                                    const std::string& help, auto check_one) {
    const std::string option = names.substr(names.rfind(',') + 1);
    return add_value(
        app, names, list, kind,
        [check_one](const std::string& name, const std::string& text) -> Result<std::vector<std::string>> {
          auto texts = TRY(parse_list(name, text));
          for (const std::string& one : texts) TRY(check_one(name, one));
          return texts;
        },
        help);
  };
  const auto any = [](const std::string&, const std::string&) -> Result<void> { return {}; };
  add_list("--gpus", chosen.gpus, "LIST",
           "ids, parts of them, .toml files; all, vendor:nvidia, vendor:amd, memory>=24GB", any)
      ->required();
  add_prediction_options(app, chosen.prediction);
  app->remove_option(app->get_option("--batch-size"));
  add_list("-b,--batch-size", chosen.batches, "N,…|max", "samples per batch, several with commas; max: as many as fit",
           [](const std::string& name, const std::string& one) -> Result<void> {
             if (one != "max") TRY(parse_count(name, one, kMaxDimension));
             return {};
           })
      ->group("Prediction");
  add_text(app, "--baseline", chosen.baseline, "ID", "the GPU that the others are compared with")->group("Rows");
  add_text(app, "--sort", chosen.sort, "COLUMN", "a column of the CSV (default: throughput, what fits first)")
      ->group("Rows");
  add_value(
      app, "--where", chosen.where, "CONDITION",
      [](const std::string& option, const std::string& text) -> Result<Filter> {
        auto filter = Filter::parse(text);
        if (!filter) return fail(filter.error().code, filter.error().text(), option);
        return *std::move(filter);
      },
      "rows to show, by columns of the CSV: 'fits = true and usd_per_hour < 2'")
      ->group("Rows");
  for (CLI::Option* option : add_price_options(app, chosen.prices)) option->group("Rows");
  add_output_options(app, chosen.output, kComparisonWriters);
}

}  // namespace rooftile::cli
