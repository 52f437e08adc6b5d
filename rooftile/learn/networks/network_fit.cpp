#include "rooftile/learn/networks/network_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/regression/conformal.hpp"

namespace rooftile {
namespace {

using GroupRows = std::vector<const RunRow*>;

// Keys whose cells are numbers are in the order of the numbers.
struct NaturalOrder {
  bool operator()(const std::vector<std::string>& a, const std::vector<std::string>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
  }
  static bool before(const std::string& a, const std::string& b) {
    char *end_a = nullptr, *end_b = nullptr;
    const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
    const bool numbers = !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0';
    return numbers && x != y ? x < y : a < b;
  }
};

std::map<std::vector<std::string>, GroupRows, NaturalOrder> groups_of(const RunRows& rows,
                                                                      const std::vector<std::string>& by) {
  std::map<std::vector<std::string>, GroupRows, NaturalOrder> groups;
  for (const RunRow& row : rows.rows) {
    std::vector<std::string> key;
    for (const std::string& column : by) key.emplace_back(row.cell(column));
    groups[std::move(key)].push_back(&row);
  }
  return groups;
}

// One split, or as many as there are folds; none where a side would be empty.
std::vector<regression::Split> splits_of(const GroupRows& rows, const NetworkFitOptions& options) {
  switch (options.split) {
    case SplitKind::none:
      return {regression::all_rows(rows.size())};
    case SplitKind::hold_out: {
      const auto split = regression::hold_out(rows.size(), options.share, options.way.seed);
      return split ? std::vector{*split} : std::vector<regression::Split>();
    }
    case SplitKind::k_fold: {
      const auto folds = regression::k_fold(rows.size(), options.way.folds, options.way.seed);
      return folds ? *folds : std::vector<regression::Split>();
    }
    case SplitKind::extrapolation:
      break;
  }
  regression::Split split;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool beyond = options.beyond->matches([&](const std::string& column) { return rows[i]->cell(column); });
    (beyond ? split.validation : split.training).push_back(i);
  }
  if (split.training.empty() || split.validation.empty()) return {};
  return {split};
}

// For each column the warning that is farthest beyond the range of the fit.
void keep_farthest(std::vector<regression::FitWarning>& kept, const std::vector<regression::Predicted>& predicted) {
  const auto distance = [](const regression::FitWarning& warning) {
    return std::max(warning.value - warning.high, warning.low - warning.value);
  };
  for (const regression::Predicted& one : predicted) {
    for (const regression::FitWarning& warning : one.warnings) {
      const auto same = std::find_if(kept.begin(), kept.end(), [&](const regression::FitWarning& other) {
        return other.kind == warning.kind && other.subject == warning.subject;
      });
      if (same == kept.end()) {
        kept.push_back(warning);
      } else if (distance(warning) > distance(*same)) {
        *same = warning;
      }
    }
  }
}

// A verdict of one way over the splits of a group, and what its interval is made from.
struct JudgedWay {
  NetworkVerdict verdict;
  std::vector<double> scores;  // |ln(predicted / measured)| of rows of training by fits that had not seen them
};

std::size_t fits_of(const std::vector<regression::Split>& splits) {
  return splits.size() > 1 ? splits.size() + 1 : splits.size();  // and one to all rows
}

// `count` is called after each of the fits_of(splits) fits.
Result<JudgedWay> judge_all(const regression::FitProblem& problem, const std::vector<regression::Split>& splits,
                            const regression::EquationOptions& options, const std::function<void()>& count) {
  JudgedWay judged;
  judged.verdict.way = options.name;
  for (const regression::Split& split : splits) {
    auto result = TRY(judge(problem, split, options));
    for (std::size_t i = 0; i < split.validation.size(); ++i) {
      judged.verdict.measured.push_back(problem.values[split.validation[i]]);
      judged.verdict.predicted.push_back(result.predicted[i].value);
    }
    keep_farthest(judged.verdict.beyond, result.predicted);
    judged.verdict.training = result.training;
    judged.verdict.fit = std::move(result.fit);
    count();
  }
  const regression::FitProblem* fitted = &problem;
  regression::FitProblem training;
  if (splits.size() > 1) {
    auto fit = TRY(fit_equation(problem, options));
    judged.verdict.fit = std::move(fit);
    count();
    judged.verdict.training.rows = problem.values.size();
    judged.verdict.training.mape = judged.verdict.fit.equation.figures.mape.value_or(0);
  } else {
    training = rows_of(problem, splits.front().training);
    fitted = &training;
  }
  if (!judged.verdict.fit.held_out.empty()) {
    judged.scores = regression::log_ratio_scores(fitted->values, judged.verdict.fit.held_out);
  }
  return judged;
}

bool inside(const regression::Interval& interval, double measured, double predicted) {
  return predicted / interval.factor <= measured && measured <= predicted * interval.factor;
}

void score(NetworkVerdict& verdict) {
  verdict.validation = regression::errors_of(verdict.measured, verdict.predicted);
  const auto& interval = verdict.fit.equation.interval;
  if (!interval) return;
  double held = 0;
  for (std::size_t i = 0; i < verdict.measured.size(); ++i) {
    held += inside(*interval, verdict.measured[i], verdict.predicted[i]) ? 1 : 0;
  }
  verdict.validation.inside = held / static_cast<double>(verdict.measured.size());
}

// Groups of a few rows have no interval of their own: they get that of all groups' errors together.
void share_intervals(std::vector<NetworkGroup>& groups, const std::map<std::string, std::vector<double>>& scores,
                     const WayOptions& options) {
  if (options.level <= 0) return;
  for (NetworkGroup& group : groups) {
    for (NetworkVerdict& verdict : group.verdicts) {
      auto& interval = verdict.fit.equation.interval;
      const auto own = scores.find(verdict.way);
      if (interval || own == scores.end()) continue;
      const auto width = regression::conformal_quantile(own->second, options.level);
      if (!width || !std::isfinite(std::exp(*width))) continue;
      interval =
          regression::Interval{options.level, std::exp(*width), "cross-validation in all groups", own->second.size()};
    }
  }
}

void add_total(std::vector<NetworkTotal>& totals, const std::string& way, const std::vector<NetworkGroup>& groups) {
  NetworkTotal total;
  total.way = way;
  std::vector<double> measured, predicted;
  double held = 0, intervals = 0;
  for (const NetworkGroup& group : groups) {
    for (const NetworkVerdict& verdict : group.verdicts) {
      if (verdict.way != way) continue;
      ++total.groups;
      total.training += group.training;
      measured.insert(measured.end(), verdict.measured.begin(), verdict.measured.end());
      predicted.insert(predicted.end(), verdict.predicted.begin(), verdict.predicted.end());
      if (!verdict.validation.inside) continue;
      intervals += static_cast<double>(verdict.measured.size());
      held += *verdict.validation.inside * static_cast<double>(verdict.measured.size());
    }
  }
  if (total.groups == 0) return;
  total.validation = regression::errors_of(measured, predicted);
  if (intervals > 0) total.validation.inside = held / intervals;
  totals.push_back(std::move(total));
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

void add_row(regression::FittedOn& fitted_on, const RunRow& row) {
  ++fitted_on.rows;
  add_once(fitted_on.gpus, row.cell("gpu"));
  add_once(fitted_on.software, row.cell("framework"));
  add_once(fitted_on.precisions, row.cell("precision"));
  add_once(fitted_on.passes, row.cell("pass"));
  add_once(fitted_on.networks, row.cell("model"));
}

std::vector<regression::ColumnRange> ranges_of(const regression::FitProblem& training) {
  static constexpr std::array kColumns = {"batch_size", "gpus",  "iterations", "seq_len",   "image_size",
                                          "parameters", "flops", "bytes",      "bandwidth", "power"};
  std::vector<regression::ColumnRange> ranges;
  for (const char* column : kColumns) {
    const auto place = training.table.find(column);
    if (!place) continue;
    const auto values = training.table.values.column(*place);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    ranges.push_back({column, *low, *high});
  }
  return ranges;
}

std::string split_text(const NetworkFitOptions& options) {
  switch (options.split) {
    case SplitKind::none:
      return "none: judged on the rows that were fitted to";
    case SplitKind::hold_out:
      return fmt::format("{:.4g} % of the rows held out at random", 100 * options.share);
    case SplitKind::k_fold:
      return fmt::format("{} folds, each held out once", options.way.folds);
    case SplitKind::extrapolation:
      break;
  }
  return options.beyond->text() + " held out";
}

Result<void> check_columns(const RunRows& rows, const NetworkFitOptions& options) {
  for (const std::string& column : options.by) {
    TRY(check_run_column(column, rows));
  }
  if (!options.beyond) return {};
  for (const Filter::Use& use : options.beyond->columns()) {
    TRY(check_run_column(use.column, rows));
  }
  return {};
}

// Fits one group after another, and keeps what all of them together are judged by.
class GroupFits {
 public:
  GroupFits(const NetworkFitOptions& options, NetworkFit& result, std::size_t all)
      : options_(options), result_(result), all_(all) {}

  Result<void> fit(const std::vector<std::string>& key, const GroupRows& members,
                   const std::vector<regression::Split>& splits) {
    const regression::FitProblem problem = problem_of(members);
    const bool folds = splits.size() > 1;
    const std::vector<std::size_t>& seen = splits.front().training;
    const regression::FitProblem training = folds ? problem : rows_of(problem, seen);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (folds || std::binary_search(seen.begin(), seen.end(), i)) add_row(result_.fitted_on, *members[i]);
    }
    NetworkGroup group;
    group.key = key;
    group.training = training.values.size();
    group.ranges = ranges_of(training);
    group.validation = folds ? problem.values.size() : splits.front().validation.size();
    for (const Way way : options_.ways) {
      const auto equation = equation_options(way, training, options_.way);
      auto added = equation ? add(group, problem, splits, *equation) : Result<void>(tl::unexpected(equation.error()));
      if (!added) group.left_out.push_back({added.error().code, added.error().message, std::string(name_of(way))});
    }
    if (options_.own) {
      TRY(add(group, problem, splits, *options_.own));
    }
    result_.groups.push_back(std::move(group));
    return {};
  }

  // Once all groups are fitted.
  void score_all() {
    share_intervals(result_.groups, scores_, options_.way);
    for (NetworkGroup& group : result_.groups) {
      for (NetworkVerdict& verdict : group.verdicts) score(verdict);
    }
    for (const Way way : options_.ways) add_total(result_.totals, std::string(name_of(way)), result_.groups);
    if (options_.own) add_total(result_.totals, options_.own->name, result_.groups);
  }

 private:
  Result<void> add(NetworkGroup& group, const regression::FitProblem& problem,
                   const std::vector<regression::Split>& splits, const regression::EquationOptions& equation) {
    std::size_t done = std::exchange(begun_, begun_ + fits_of(splits));
    auto judged = TRY(judge_all(problem, splits, equation, [&] {
      if (options_.progress) options_.progress(++done, all_);
    }));
    std::vector<double>& of_equation = scores_[equation.name];
    of_equation.insert(of_equation.end(), judged.scores.begin(), judged.scores.end());
    group.verdicts.push_back(std::move(judged.verdict));
    return {};
  }

  const NetworkFitOptions& options_;
  NetworkFit& result_;
  std::size_t all_, begun_ = 0;                        // fits, those of ways that were begun
  std::map<std::string, std::vector<double>> scores_;  // JudgedWay::scores of all groups, by way
};

}  // namespace

Result<NetworkFit> fit_networks(const RunRows& rows, const NetworkFitOptions& options) {
  TRY(check_columns(rows, options));
  NetworkFit result;
  if (options.beyond) {
    for (const Filter::Use& use : options.beyond->columns()) result.beyond_columns.push_back(use.column);
  }
  result.by = options.by;
  result.split = split_text(options);
  result.fitted_on.sources = rows.sources;
  result.fitted_on.split = result.split;
  const auto groups = groups_of(rows, options.by);
  const std::size_t ways = options.ways.size() + (options.own ? 1 : 0);
  std::vector<std::vector<regression::Split>> splits_of_groups;
  std::size_t all = 0;
  for (const auto& [key, members] : groups) {
    splits_of_groups.push_back(splits_of(members, options));
    all += ways * fits_of(splits_of_groups.back());
  }
  GroupFits fits(options, result, all);
  auto next_splits = splits_of_groups.begin();
  for (const auto& [key, members] : groups) {
    const std::vector<regression::Split>& splits = *next_splits++;
    if (splits.empty()) {
      ++result.groups_without_split;
      continue;
    }
    TRY(fits.fit(key, members, splits));
  }
  if (result.groups.empty()) {
    return fail(ErrorCode::bad_input, fmt::format("no group of rows can be split by '{}'", result.split));
  }
  fits.score_all();
  return result;
}

regression::FittedModel fitted_model(const NetworkFit& fit, const std::string& way) {
  regression::FittedModel model;
  model.name = way;
  model.kind = kNetworkKind;
  model.fitted_on = fit.fitted_on;
  for (const NetworkGroup& group : fit.groups) {
    for (const NetworkVerdict& verdict : group.verdicts) {
      if (verdict.way != way) continue;
      model.equations.push_back(verdict.fit.equation);
      regression::FittedEquation& equation = model.equations.back();
      if (!group.key.empty()) equation.name = fmt::format("{}", fmt::join(group.key, ", "));
      for (std::size_t i = 0; i < group.key.size(); ++i) equation.group.push_back({fit.by[i], group.key[i]});
      for (const regression::ColumnRange& range : group.ranges) {
        const bool known = std::any_of(equation.ranges.begin(), equation.ranges.end(),
                                       [&](const regression::ColumnRange& own) { return own.column == range.column; });
        if (!known) equation.ranges.push_back(range);
      }
    }
  }
  return model;
}

}  // namespace rooftile
