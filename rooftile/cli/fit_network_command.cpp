// rooftile fit network TABLE.csv…: end-to-end models of whole runs, judged beyond what they were fitted to.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/fit_options.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/progress.hpp"
#include "rooftile/cli/table_options.hpp"
#include "rooftile/learn/networks/network_fit.hpp"
#include "rooftile/regression/fitted_json.hpp"
#include "rooftile/report/fit_network.hpp"

namespace rooftile::cli {
namespace {

constexpr std::int64_t kMostFolds = 1000, kMostDegree = 6, kMostTerms = 100;

struct NetworkArguments : FitArguments {
  NetworkFitOptions options;
  Format format = Format::table;
  bool details = false;  // coefficients of every fit
  bool flagged = false;  // flagged rows too
};

// "holdout", "holdout=0.3", "kfold", "kfold=10", "none", or a condition on the rows to hold out.
Result<void> read_split(const std::string& option, const std::string& text, NetworkFitOptions& options) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string kind = text.substr(0, equals);
  const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
  const bool given = equals < text.size();
  if (kind == "holdout") {
    options.split = SplitKind::hold_out;
    if (given) options.share = TRY(parse_rate(option, value));
  } else if (kind == "kfold") {
    options.split = SplitKind::k_fold;
    if (given) options.way.folds = static_cast<std::size_t>(TRY(parse_count(option, value, kMostFolds)));
    if (options.way.folds < 2) return usage(option + ": at least 2 folds");
  } else if (text == "none") {
    options.split = SplitKind::none;
  } else if (text.find_first_of("<>=! ") == std::string::npos) {
    return usage(fmt::format(
        "{}: '{}' is not holdout, holdout=SHARE, kfold, kfold=FOLDS, none or a condition as in \"batch_size > 64\"",
        option, one_line(text)));
  } else {
    options.beyond = TRY(parse_condition(option, text));
    options.split = SplitKind::extrapolation;
  }
  return {};
}

// "affine,alphabet=2/6": alphabet takes the most columns in a product, and the most terms.
Result<void> read_ways(const std::string& option, const std::string& text, NetworkFitOptions& options) {
  options.ways.clear();
  for (const std::string& one : TRY(parse_names(option, text))) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto way = parse_way(one.substr(0, equals));
    if (!way) return fail(ErrorCode::usage, way.error().message, option);
    options.ways.push_back(*way);
    if (equals == one.size()) continue;
    if (*way != Way::alphabet) return usage(fmt::format("{}: only alphabet takes sizes", option));
    const std::string sizes = one.substr(equals + 1);
    const std::size_t slash = std::min(sizes.find('/'), sizes.size());
    options.way.degree = static_cast<std::size_t>(TRY(parse_count(option, sizes.substr(0, slash), kMostDegree)));
    if (slash == sizes.size()) continue;
    options.way.most_terms = static_cast<std::size_t>(TRY(parse_count(option, sizes.substr(slash + 1), kMostTerms)));
  }
  return {};
}

// "1,batch_size/gpus", or with a technique before it: "ridge:1,batch_size/gpus".
Result<void> read_features(const std::string& option, const std::string& text, NetworkFitOptions& options) {
  regression::EquationOptions own;
  own.name = "own";
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const auto technique = regression::parse_technique(text.substr(0, colon));
    if (!technique) return fail(ErrorCode::usage, technique.error().message, option);
    own.technique = *technique;
  }
  for (const std::string& feature : TRY(parse_names(option, text.substr(colon == std::string::npos ? 0 : colon + 1)))) {
    auto term = parse_term(feature);
    if (!term) return fail(ErrorCode::usage, term.error().message, option);
    own.terms.push_back(std::move(*term));
  }
  options.own = std::move(own);
  if (options.ways == all_ways()) options.ways.clear();  // none was named
  return {};
}

// One model is written.
Result<void> check_output(const NetworkArguments& arguments) {
  const NetworkFitOptions& options = arguments.options;
  const bool one = options.ways.size() + (options.own ? 1 : 0) == 1;
  return one || arguments.output.empty() ? Result<void>()
                                         : usage("-o writes one model: name it with --ways or --features");
}

Result<void> run(NetworkArguments& arguments) {
  NetworkFitOptions& options = arguments.options;
  if (options.own) {
    options.own->folds = options.way.folds;
    options.own->level = options.way.level;
  }
  TRY(check_output(arguments));
  const auto tables = TRY(read_measured(arguments.tables, reading_options(arguments)));
  RunRowsOptions meant;
  meant.where = arguments.where;
  meant.flagged = arguments.flagged;
  const auto rows = TRY(run_rows(tables, meant));
  NetworkFit fit;
  {
    Progress progress("fits");
    options.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
    fit = TRY(fit_networks(rows, options));
  }
  TRY(draw_fit(arguments, fitted_points(fit)));
  if (!arguments.output.empty()) {
    const std::string way = options.own ? "own" : std::string(name_of(options.ways.front()));
    regression::FittedModel model = fitted_model(fit, way);
    model.fitted_on.date = arguments.date;
    if (model.equations.empty()) return fail(ErrorCode::unsupported, fmt::format("way {} fits no group", way));
    TRY(write_output(arguments.output, fitted_json(model)));
    if (arguments.output == "-") return {};
  }
  switch (arguments.format) {
    case Format::json:
      return write_output("", network_fit_json(fit, rows));
    case Format::csv:
      return write_output("", network_fit_csv(fit));
    default:
      return write_output("", network_fit_report(fit, rows, arguments.details, page_width("")));
  }
}

// An option whose text `read` puts into the options of the fit.
CLI::Option* add_fit_option(CLI::App* app, const std::string& name, NetworkFitOptions& options, const std::string& kind,
                            Result<void> (*read)(const std::string&, const std::string&, NetworkFitOptions&),
                            const std::string& help) {
  return add_value(
      app, name, options, kind,
      [&options, read](const std::string& option, const std::string& text) -> Result<NetworkFitOptions> {
        TRY(read(option, text, options));
        return options;
      },
      help);
}

}  // namespace

void add_fit_network(CommandList& commands, CLI::App* fit) {
  auto [app, arguments] =
      commands.add<NetworkArguments>("network", "Fit the times of whole runs, and test on held-out rows",
                                     "rooftile fit network runs.csv --ways physics -o runs.json", run, fit);
  add_fit_options(app, arguments, Format::json, "write the model (JSON) of one way to this file, for --method FILE");
  add_text(app, "--gpu", arguments.gpu, "ID", "GPU for rows that name none");
  app->add_flag("--flagged", arguments.flagged, "include flagged rows");
  NetworkFitOptions& options = arguments.options;
  add_names(app, "--by", options.by, "COLUMN", "columns to group by, each group with its own fits")->group("Model");
  add_fit_option(app, "--split", options, "holdout[=SHARE]|kfold[=FOLDS]|none|CONDITION", read_split,
                 "rows to hold out: a fifth (default), folds, none, or these, as in \"batch_size > 64\"")
      ->group("Model");
  CLI::Option* ways =
      add_fit_option(app, "--ways", options, "affine|alphabet[=DEGREE/TERMS]|physics|analytic|scaled|trees,…",
                     read_ways, "default: all; alphabet: most columns in a product, most terms (2/6)");
  ways->group("Model");
  add_fit_option(app, "--features", options, "[TECHNIQUE:]TERM,…", read_features,
                 "an equation of your own, as in \"1,batch_size/gpus,ln(flops)\"; by least-squares (default), ridge, "
                 "nnls or trees")
      ->group("Model");
  app->add_flag("--details", arguments.details, "coefficients and warnings of every fit")->group("Output");
  add_plots(app, arguments.plots);
  add_print_format(app, arguments.format)->group("Output");
}

}  // namespace rooftile::cli
