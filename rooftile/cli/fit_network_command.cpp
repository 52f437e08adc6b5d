// rooftile fit TABLE.csv… --model network: end-to-end models of whole runs, judged beyond what they were fitted to.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_models.hpp"
#include "rooftile/cli/fit_report.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/tables.hpp"
#include "rooftile/cli/values.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/regression/fitted_json.hpp"
#include "rooftile/report/fit_network.hpp"

namespace rooftile::cli {
namespace {

constexpr std::int64_t kMostFolds = 1000, kMostDegree = 6, kMostTerms = 100;

// "holdout", "holdout=0.3", "kfold", "kfold=10", "none".
Result<void> parse_split(const std::string& text, NetworkFitOptions& options) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string kind = text.substr(0, equals);
  const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
  const bool given = equals < text.size();
  if (kind == "holdout") {
    options.split = SplitKind::hold_out;
    if (!given) return {};
    const auto share = TRY(parse_rate("--split", value));
    options.share = share;
  } else if (kind == "kfold") {
    options.split = SplitKind::k_fold;
    if (!given) return {};
    const auto folds = TRY(parse_count("--split", value, kMostFolds));
    if (folds < 2) return usage("--split: at least 2 folds");
    options.way.folds = static_cast<std::size_t>(folds);
  } else if (kind == "none" && !given) {
    options.split = SplitKind::none;
  } else {
    return usage(fmt::format("--split: '{}' is not holdout, holdout=SHARE, kfold, kfold=FOLDS or none", text));
  }
  return {};
}

Result<regression::EquationOptions> own_equation(const FitModelArguments& arguments, const WayOptions& way) {
  regression::EquationOptions own;
  own.name = "own";
  own.folds = way.folds;
  own.level = way.level;
  const auto features = TRY(list_of("--features", arguments.features));
  for (const std::string& feature : features) {
    auto term = parse_term(feature);
    if (!term) return fail(term.error().code, term.error().message, "--features");
    own.terms.push_back(std::move(*term));
  }
  if (arguments.technique.empty()) return own;
  const auto technique = regression::parse_technique(arguments.technique);
  if (!technique) return fail(technique.error().code, technique.error().message, "--technique");
  own.technique = *technique;
  return own;
}

Result<NetworkFitOptions> fit_options(const FitModelArguments& arguments) {
  NetworkFitOptions options;
  auto by = TRY(list_of("--by", arguments.by));
  options.by = std::move(by);
  auto beyond = TRY(parse_condition("--extrapolate", arguments.extrapolate));
  options.beyond = std::move(beyond);
  if (options.beyond) options.split = SplitKind::extrapolation;
  if (!arguments.split.empty()) {
    if (options.beyond) return usage("--split and --extrapolate are two ways to hold rows out; give one");
    TRY(parse_split(arguments.split, options));
  }
  const auto count = [](const char* option, const std::string& text, std::int64_t most,
                        std::size_t& value) -> Result<void> {
    if (text.empty()) return {};
    const auto number = TRY(parse_count(option, text, most));
    value = static_cast<std::size_t>(number);
    return {};
  };
  TRY(count("--degree", arguments.degree, kMostDegree, options.way.degree));
  TRY(count("--terms", arguments.terms, kMostTerms, options.way.most_terms));
  if (!arguments.ways.empty()) {
    const auto names = TRY(list_of("--ways", arguments.ways));
    options.ways.clear();
    for (const std::string& name : names) {
      const auto way = parse_way(name);
      if (!way) return fail(way.error().code, way.error().message, "--ways");
      options.ways.push_back(*way);
    }
  }
  if (!arguments.technique.empty() && arguments.features.empty()) return usage("--technique is of --features");
  if (!arguments.features.empty()) {
    auto own = TRY(own_equation(arguments, options.way));
    options.own = std::move(own);
    if (arguments.ways.empty()) options.ways.clear();
  }
  if (!arguments.output.empty() && options.ways.size() + (options.own ? 1 : 0) != 1) {
    return usage("-o writes one model: name it with --ways or --features");
  }
  return options;
}

}  // namespace

Result<void> fit_network(const FitModelArguments& arguments) {
  if (!arguments.ignore.empty()) return usage("--ignore is not of --model network");
  if (auto apart = check_fit_places(arguments); !apart) return apart;
  const auto format = TRY(fit_format(arguments));
  TRY(check_suffix("-o", arguments.output, {Format::json}));
  const auto options = TRY(fit_options(arguments));
  auto where = TRY(parse_where(arguments.where));
  LayerTableOptions reading;
  reading.gpu = arguments.gpu;
  reading.skip_bad_rows = arguments.skip_bad_rows;
  const auto tables = TRY(read_measured(arguments.tables, reading));
  RunRowsOptions meant;
  meant.where = std::move(where);
  meant.flagged = arguments.flagged;
  const auto rows = TRY(run_rows(tables, meant));
  const auto fit = TRY(fit_networks(rows, options));
  if (auto drawn = draw_fit(arguments, fitted_points(fit)); !drawn) return drawn;
  if (!arguments.output.empty()) {
    const std::string way = options.own ? "own" : std::string(name_of(options.ways.front()));
    regression::FittedModel model = fitted_model(fit, way);
    model.fitted_on.date = arguments.date;
    if (model.equations.empty()) return fail(ErrorCode::unsupported, fmt::format("way {} fits no group", way));
    if (auto written = write_output(arguments.output, fitted_json(model)); !written) return written;
    if (arguments.output == "-") return {};
  }
  if (arguments.plot == "-" || arguments.residuals == "-") return {};
  return write_output(
      "", format == Format::json ? network_fit_json(fit, rows) : network_fit_report(fit, rows, arguments.details));
}

}  // namespace rooftile::cli
