// rooftile fit layers TABLE.csv…: a time of each layer by its operations.
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_options.hpp"
#include "rooftile/cli/gpu_list.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/learn/layers/layer_model.hpp"
#include "rooftile/learn/layers/layer_samples.hpp"
#include "rooftile/learn/layers/layer_transfer.hpp"
#include "rooftile/regression/fitted_json.hpp"
#include "rooftile/report/layers.hpp"
#include "rooftile/report/regression.hpp"

namespace rooftile::cli {
namespace {

std::function<bool(const RowCell&)> matches(const std::optional<Filter>& filter) {
  if (!filter) return {};
  return [&filter](const RowCell& cell) { return filter->matches(cell); };
}

struct LayersArguments : FitArguments {
  std::string by;              // a column whose values each get a model
  std::optional<Filter> test;  // rows to hold out
  std::string test_condition;  // as the user typed it
};

Result<LayerSamples> read_samples(const LayersArguments& arguments) {
  if (!arguments.gpu.empty()) TRY(gpu_of_option(arguments.gpu));
  const auto& [where, test] = std::tie(arguments.where, arguments.test);
  const auto tables = TRY(read_measured(arguments.tables, reading_options(arguments), where));
  TRY(check_condition("--where", where, tables));
  TRY(check_condition("--test", test, tables));
  if (!arguments.by.empty()) {
    if (auto known = check_column(arguments.by, tables); !known) {
      return fail(known.error().code, known.error().message, "--by");
    }
  }
  auto samples = layer_samples(tables, {matches(where), matches(test), arguments.by, arguments.gpu});
  if (!samples) return samples;
  bool held_out = false;
  for (const LayerSample& sample : samples->samples) held_out |= sample.held_out;
  if (test && !held_out) return fail(ErrorCode::bad_input, "no row meets the condition", "--test");
  return samples;
}

FittedPoints points_of(std::span<const LayerTransfer> transfers) {
  FittedPoints points = fitted_points(transfers);
  points.title = "Per-layer models";
  if (transfers.size() == 1 && !transfers.front().fitted_to.empty()) {
    points.title = fmt::format("{} model, {} prediction", transfers.front().fitted_to, transfers.front().judged_on);
  }
  return points;
}

// What a command makes: the text of the fit, if there is one, and how it does.
struct Judged {
  std::string text;
  std::vector<LayerTransfer> transfers;
};

Result<Judged> judged(Result<std::vector<LayerTransfer>> transfers, std::string text = {}) {
  auto judgements = TRY(std::move(transfers));
  return Judged{std::move(text), std::move(judgements)};
}

// Fits one model and writes it where it is to go.
Result<Judged> fit_one(const LayersArguments& arguments, const LayerSamples& samples) {
  auto fit = TRY(rooftile::fit_layers(samples.samples));
  regression::FittedOn& on = fit.model.fitted_on;
  if (arguments.output != "-") fit.model.name = std::filesystem::path(arguments.output).stem().string();
  on.sources = arguments.tables;
  on.date = arguments.date;
  if (arguments.where) on.note = "rows where " + arguments.condition;
  if (arguments.test) on.split = "held out: " + arguments.test_condition;
  if (!arguments.output.empty()) {
    TRY(write_output(arguments.output, regression::fitted_json(fit.model)));
  }
  return judged(judge_networks(fit.model, samples.samples), layer_fit_report(fit, samples, page_width("")) + "\n");
}

Result<void> run(LayersArguments& arguments) {
  const auto samples = TRY(read_samples(arguments));
  const auto result = TRY(!arguments.by.empty() ? judged(judge_groups(samples.samples)) : fit_one(arguments, samples));
  TRY(draw_fit(arguments, points_of(result.transfers)));
  if (arguments.output == "-") return {};
  return write_output("", result.text + layer_transfer_table(result.transfers, page_width("")));
}

}  // namespace

void add_fit_layers(CommandList& commands, CLI::App* fit) {
  auto [app, arguments] = commands.add<LayersArguments>(
      "layers", "Fit time against operations, a straight line for each layer category on one GPU",
      "rooftile fit layers measured.csv --test \"model = vgg16\" -o layers.json", run, fit);
  add_fit_options(app, arguments, Format::json, "write the model (JSON) to this file, for --method FILE");
  add_text(app, "--gpu", arguments.gpu, "ID", "GPU for rows that name none");
  CLI::Option* test =
      add_condition(app, "--test", arguments.test, "hold out these rows and test on them, as in \"model = AlexNet\"",
                    &arguments.test_condition);
  add_text(app, "--by", arguments.by, "COLUMN", "a model for each value of this column, tested on all the others")
      ->excludes(test)
      ->excludes(app->get_option("--output"));
  add_plots(app, arguments.plots);
}

}  // namespace rooftile::cli
