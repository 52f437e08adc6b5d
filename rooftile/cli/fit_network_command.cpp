// rooftile fit TABLE.csv… --model network: end-to-end models of whole runs, judged beyond what they were fitted to.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

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
    const auto share = parse_rate("--split", value);
    if (!share) return tl::unexpected(share.error());
    options.share = *share;
  } else if (kind == "kfold") {
    options.split = SplitKind::k_fold;
    if (!given) return {};
    const auto folds = parse_count("--split", value, kMostFolds);
    if (!folds) return tl::unexpected(folds.error());
    if (*folds < 2) return usage("--split: at least 2 folds");
    options.way.folds = static_cast<std::size_t>(*folds);
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
  const auto features = list_of("--features", arguments.features);
  if (!features) return tl::unexpected(features.error());
  for (const std::string& feature : *features) {
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
  auto by = list_of("--by", arguments.by);
  if (!by) return tl::unexpected(by.error());
  options.by = std::move(*by);
  auto beyond = parse_condition("--extrapolate", arguments.extrapolate);
  if (!beyond) return tl::unexpected(beyond.error());
  options.beyond = std::move(*beyond);
  if (options.beyond) options.split = SplitKind::extrapolation;
  if (!arguments.split.empty()) {
    if (options.beyond) return usage("--split and --extrapolate are two ways to hold rows out; give one");
    if (auto split = parse_split(arguments.split, options); !split) return tl::unexpected(split.error());
  }
  const auto count = [](const char* option, const std::string& text, std::int64_t most,
                        std::size_t& value) -> Result<void> {
    if (text.empty()) return {};
    const auto number = parse_count(option, text, most);
    if (!number) return tl::unexpected(number.error());
    value = static_cast<std::size_t>(*number);
    return {};
  };
  if (auto set = count("--degree", arguments.degree, kMostDegree, options.way.degree); !set) {
    return tl::unexpected(set.error());
  }
  if (auto set = count("--terms", arguments.terms, kMostTerms, options.way.most_terms); !set) {
    return tl::unexpected(set.error());
  }
  if (!arguments.ways.empty()) {
    const auto names = list_of("--ways", arguments.ways);
    if (!names) return tl::unexpected(names.error());
    options.ways.clear();
    for (const std::string& name : *names) {
      const auto way = parse_way(name);
      if (!way) return fail(way.error().code, way.error().message, "--ways");
      options.ways.push_back(*way);
    }
  }
  if (!arguments.technique.empty() && arguments.features.empty()) return usage("--technique is of --features");
  if (!arguments.features.empty()) {
    auto own = own_equation(arguments, options.way);
    if (!own) return tl::unexpected(own.error());
    options.own = std::move(*own);
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
  const auto format = fit_format(arguments);
  if (!format) return tl::unexpected(format.error());
  const auto options = fit_options(arguments);
  if (!options) return tl::unexpected(options.error());
  auto where = parse_where(arguments.where);
  if (!where) return tl::unexpected(where.error());
  LayerTableOptions reading;
  reading.gpu = arguments.gpu;
  reading.skip_bad_rows = arguments.skip_bad_rows;
  const auto tables = read_measured(arguments.tables, reading);
  if (!tables) return tl::unexpected(tables.error());
  RunRowsOptions meant;
  meant.where = std::move(*where);
  meant.flagged = arguments.flagged;
  const auto rows = run_rows(*tables, meant);
  if (!rows) return tl::unexpected(rows.error());
  const auto fit = fit_networks(*rows, *options);
  if (!fit) return tl::unexpected(fit.error());
  if (auto drawn = draw_fit(arguments, fitted_points(*fit)); !drawn) return drawn;
  if (!arguments.output.empty()) {
    const std::string way = options->own ? "own" : std::string(name_of(options->ways.front()));
    regression::FittedModel model = fitted_model(*fit, way);
    model.fitted_on.date = arguments.date;
    if (model.equations.empty()) return fail(ErrorCode::unsupported, fmt::format("way {} fits no group", way));
    if (auto written = write_output(arguments.output, fitted_json(model)); !written) return written;
    if (arguments.output == "-") return {};
  }
  if (arguments.plot == "-" || arguments.residuals == "-") return {};
  return write_output(
      "", *format == Format::json ? network_fit_json(*fit, *rows) : network_fit_report(*fit, *rows, arguments.details));
}

}  // namespace rooftile::cli
