// rooftile fit TABLE.csv… --model layers: a time of each layer by its operations.
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_models.hpp"
#include "rooftile/cli/fit_report.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
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

Result<LayerSamples> read_samples(const FitModelArguments& arguments) {
  if (!arguments.gpu.empty()) {
    TRY(gpu_of_option(arguments.gpu));
  }
  LayerTableOptions reading;
  reading.gpu = arguments.gpu;
  reading.skip_bad_rows = arguments.skip_bad_rows;
  const auto where = TRY(parse_where(arguments.where));
  const auto test = TRY(parse_condition("--test", arguments.test));
  const auto tables = TRY(read_measured(arguments.tables, reading, where));
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
  if (transfers.size() == 1) {
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
  if (!transfers) return tl::unexpected(transfers.error());
  return Judged{std::move(text), std::move(*transfers)};
}

// Fits one model and writes it where it is to go.
Result<Judged> fit_one(const FitModelArguments& arguments, const LayerSamples& samples) {
  auto fit = TRY(rooftile::fit_layers(samples.samples));
  regression::FittedOn& on = fit.model.fitted_on;
  if (arguments.output != "-") fit.model.name = std::filesystem::path(arguments.output).stem().string();
  on.sources = arguments.tables;
  on.date = arguments.date;
  if (!arguments.where.empty()) on.note = "rows where " + arguments.where;
  if (!arguments.test.empty()) on.split = "held out: " + arguments.test;
  if (!arguments.output.empty()) {
    TRY(write_output(arguments.output, regression::fitted_json(fit.model)));
  }
  return judged(judge_networks(fit.model, samples.samples), layer_fit_report(fit, samples) + "\n");
}

Result<void> check_together(const FitModelArguments& arguments) {
  if (!arguments.ignore.empty()) return usage("--ignore is not of --model layers");
  if (auto apart = check_fit_places(arguments); !apart) return apart;
  TRY(check_suffix("-o", arguments.output, {Format::json}));
  const bool fits_one = !arguments.output.empty() || !arguments.test.empty();
  if (!arguments.by.empty() && fits_one) {
    return usage("--by makes a model of each group: neither -o nor --test go with it");
  }
  return {};
}

}  // namespace

Result<void> fit_layers(const FitModelArguments& arguments) {
  if (auto fits = check_together(arguments); !fits) return fits;
  const auto samples = TRY(read_samples(arguments));
  const auto result = TRY(!arguments.by.empty() ? judged(judge_groups(samples.samples)) : fit_one(arguments, samples));
  if (auto drawn = draw_fit(arguments, points_of(result.transfers)); !drawn) return drawn;
  if (arguments.output == "-" || arguments.plot == "-" || arguments.residuals == "-") return {};
  return write_output("", result.text + layer_transfer_table(result.transfers));
}

}  // namespace rooftile::cli
