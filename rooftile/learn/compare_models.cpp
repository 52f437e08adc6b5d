#include "rooftile/learn/compare_models.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/quantile.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/columns.hpp"
#include "rooftile/regression/fit_equation.hpp"
#include "rooftile/regression/trees.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

using regression::EquationOptions;
using regression::Split;
using regression::Technique;
using Indices = std::vector<std::size_t>;

struct Values {
  std::vector<double> seconds = {};
  std::vector<double> low = {}, high = {};  // only of the grey box
};

// Fits an equation to `seen` and puts its predictions of `chosen` of `unseen` at their places.
Result<void> fit_and_predict(const GreyBoxRows& seen, const GreyBoxRows& unseen, const Indices& chosen,
                             const EquationOptions& options, std::vector<double>& seconds) {
  const auto fit = TRY(regression::fit_equation({seen.table, seen.seconds, seen.shapes}, options));
  const auto predicted = TRY(predict(fit.equation, regression::rows_of(unseen.table, chosen)));
  for (std::size_t i = 0; i < chosen.size(); ++i) seconds[chosen[i]] = predicted[i].value;
  return {};
}

EquationOptions base_options(const CompareOptions& options) {
  EquationOptions equation;
  equation.level = 0;
  equation.folds = options.grey_box.folds;
  equation.seed = options.seed;
  return equation;
}

Result<Values> per_layer(const GreyBoxRows& seen, const GreyBoxRows& unseen, const CompareOptions& options) {
  EquationOptions equation = base_options(options);
  equation.terms = {{}, {{.column = "complexity"}}};
  equation.relative = false;
  Values values{.seconds = std::vector<double>(unseen.size())};
  for (const std::string& part : different(unseen.parts)) {
    const GreyBoxRows of_part = rows_of(seen, where(seen.parts, part));
    const Indices all = where(unseen.parts, part);
    for (const std::string& gpu : different(unseen.gpus)) {
      Indices chosen;
      std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                   [&](std::size_t row) { return unseen.gpus[row] == gpu; });
      if (chosen.empty()) continue;
      const Indices own = where(of_part.gpus, gpu);
      TRY(fit_and_predict(own.empty() ? of_part : rows_of(of_part, own), unseen, chosen, equation, values.seconds));
    }
  }
  return values;
}

Result<Values> network(const GreyBoxRows& seen, const GreyBoxRows& unseen, const CompareOptions& options) {
  EquationOptions equation = base_options(options);
  equation.technique = Technique::ridge;
  equation.columns = {"batch", "in_channels", "out_channels", "in_size", "taps", "out_size", "peak"};
  equation.alphabet.degree = 2;
  Values values{.seconds = std::vector<double>(unseen.size())};
  for (const std::string& part : different(unseen.parts)) {
    TRY(fit_and_predict(rows_of(seen, where(seen.parts, part)), unseen, where(unseen.parts, part), equation,
                        values.seconds));
  }
  return values;
}

Result<Values> trees(const GreyBoxRows& seen, const GreyBoxRows& unseen, const CompareOptions& options) {
  EquationOptions equation = base_options(options);
  equation.technique = Technique::trees;
  equation.target.log = true;
  equation.columns = shape_columns();
  equation.alphabet = {.degree = 1, .inverses = false, .intercept = false};
  equation.trees = {options.grey_box.trees};
  Values values{.seconds = std::vector<double>(unseen.size())};
  for (const std::string& operation : different(unseen.operations)) {
    TRY(fit_and_predict(rows_of(seen, where(seen.operations, operation)), unseen, where(unseen.operations, operation),
                        equation, values.seconds));
  }
  return values;
}

Result<Values> grey_box(const GreyBoxRows& seen, const GreyBoxRows& unseen, const CompareOptions& options) {
  GreyBoxOptions own = options.grey_box;
  own.seed = options.seed;
  std::set<std::pair<std::string, std::string>> known;
  for (std::size_t row = 0; row < seen.size(); ++row) known.emplace(seen.parts[row], seen.gpus[row]);
  own.known_gpus = own.other_gpus = false;
  for (std::size_t row = 0; row < unseen.size(); ++row) {
    const bool seen_there = known.count({unseen.parts[row], unseen.gpus[row]}) > 0;
    (seen_there ? own.known_gpus : own.other_gpus) = true;
  }
  const auto model = TRY(fit_grey_box(seen, own));
  const auto predicted = TRY(predict_grey_box(model, unseen));
  Values values;
  for (const regression::Predicted& one : predicted) {
    values.seconds.push_back(one.value);
    values.low.push_back(one.low.value_or(0));
    values.high.push_back(one.high.value_or(0));
  }
  return values;
}

Result<Values> values_of(LearnedModel model, const GreyBoxRows& seen, const GreyBoxRows& unseen,
                         const CompareOptions& options) {
  switch (model) {
    case LearnedModel::analytic: {
      const auto analytic = unseen.table.values.column(*unseen.table.find("analytic_s"));
      return Values{.seconds = {analytic.begin(), analytic.end()}};
    }
    case LearnedModel::per_layer:
      return per_layer(seen, unseen, options);
    case LearnedModel::network:
      return network(seen, unseen, options);
    case LearnedModel::trees:
      return trees(seen, unseen, options);
    case LearnedModel::grey_box:
      break;
  }
  return grey_box(seen, unseen, options);
}

// The held-out rows of a split, or of several that are scored as one, with what each model says of them.
struct Judged {
  std::string name;
  std::vector<double> measured = {};
  std::vector<std::string> operations = {};
  std::array<Values, kLearnedModels> values = {};
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

ModelScore score_of(const Judged& judged, const std::string& operation, LearnedModel model) {
  const Values& values = judged.values[static_cast<std::size_t>(model)];
  std::vector<double> measured, predicted, widths;
  std::size_t inside = 0;
  for (std::size_t row = 0; row < judged.measured.size(); ++row) {
    if (!operation.empty() && judged.operations[row] != operation) continue;
    measured.push_back(judged.measured[row]);
    predicted.push_back(values.seconds[row]);
    if (values.high.empty() || values.high[row] == 0) continue;
    widths.push_back((values.high[row] - values.low[row]) / values.seconds[row]);
    if (values.low[row] <= judged.measured[row] && judged.measured[row] <= values.high[row]) ++inside;
  }
  ModelScore score{judged.name, operation, model, regression::errors_of(measured, predicted)};
  if (!widths.empty()) {
    score.inside = static_cast<double>(inside) / static_cast<double>(widths.size());
    score.width = quantile(std::move(widths), 0.5);
  }
  return score;
}

// Takes the rows out of the validation whose label no row of the training has; how many these were.
std::size_t leave_out_unknown(const std::vector<std::string>& labels, Split& split) {
  std::set<std::string_view> known;
  for (const std::size_t row : split.training) known.insert(labels[row]);
  return std::erase_if(split.validation, [&](std::size_t row) { return known.count(labels[row]) == 0; });
}

}  // namespace

std::string_view name_of(LearnedModel model) {
  constexpr std::array<std::string_view, kLearnedModels> names = {"analytic", "per-layer", "end-to-end", "trees",
                                                                  "grey box"};
  return names[static_cast<std::size_t>(model)];
}

Result<ModelComparison> compare_models(const GreyBoxRows& rows, const CompareOptions& options) {
  struct Task {
    Split split;
    std::string scored_as;
  };
  std::vector<Task> tasks;
  auto folds = TRY(regression::k_fold(rows.size(), options.folds, options.seed, rows.shapes));
  for (Split& fold : folds) tasks.push_back({std::move(fold), fmt::format("{} folds by shape", options.folds)});
  if (options.by_gpu && different(rows.gpus).size() > 1) {
    auto gpus = TRY(regression::leave_one_group_out(rows.gpus));
    for (Split& gpu : gpus) {
      std::string name = "without " + gpu.name;
      tasks.push_back({std::move(gpu), std::move(name)});
    }
  }
  if (!options.bounds.empty()) {
    auto beyond = TRY(regression::extrapolation(rows.table, options.bounds));
    std::string name = beyond.name;
    tasks.push_back({std::move(beyond), std::move(name)});
  }

  ModelComparison result;
  result.rows = rows.size();
  result.trees = regression::has_xgboost();
  std::vector<Judged> judged;
  std::size_t done = 0;
  for (Task& task : tasks) {
    result.left_out += leave_out_unknown(rows.parts, task.split);
    if (task.split.validation.empty()) continue;
    if (judged.empty() || judged.back().name != task.scored_as) judged.push_back({.name = task.scored_as});
    Judged& into = judged.back();
    const GreyBoxRows seen = rows_of(rows, task.split.training), unseen = rows_of(rows, task.split.validation);
    append(into.measured, unseen.seconds);
    append(into.operations, unseen.operations);
    for (std::size_t model = 0; model < kLearnedModels; ++model) {
      if (options.progress) options.progress(done, tasks.size() * kLearnedModels);
      ++done;
      if (static_cast<LearnedModel>(model) == LearnedModel::trees && !result.trees) continue;
      const auto values = TRY(values_of(static_cast<LearnedModel>(model), seen, unseen, options));
      append(into.values[model].seconds, values.seconds);
      append(into.values[model].low, values.low);
      append(into.values[model].high, values.high);
    }
  }
  if (judged.empty())
    return fail(ErrorCode::bad_input, "no split has a row of an operation and pass that it is fitted to");
  for (const Judged& one : judged) {
    std::set<std::string> operations = different(one.operations);
    if (operations.size() > 1) operations.insert("");
    for (const std::string& operation : operations) {
      for (std::size_t model = 0; model < kLearnedModels; ++model) {
        if (one.values[model].seconds.empty()) continue;
        result.scores.push_back(score_of(one, operation, static_cast<LearnedModel>(model)));
      }
    }
  }
  return result;
}

}  // namespace rooftile
