#include "rooftile/learn/grey_box.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "rooftile/error/one_line.hpp"
#include "rooftile/regression/conformal.hpp"
#include "rooftile/regression/errors.hpp"
#include "rooftile/regression/fit_equation.hpp"
#include "rooftile/regression/nnls.hpp"
#include "rooftile/regression/split.hpp"
#include "rooftile/regression/trees.hpp"

namespace rooftile {
namespace {

using regression::Factor;
using regression::FittedEquation;
using regression::FittedModel;
using regression::Matrix;
using regression::NumberTable;
using regression::Predicted;
using regression::Technique;
using regression::Term;

using Equations = std::vector<FittedEquation>;
using Indices = std::vector<std::size_t>;

constexpr std::string_view kOther = ", other GPUs";  // of equations for GPUs that the fit had not
constexpr std::array<std::string_view, 8> kSizes = {"batch", "in_channels", "out_channels", "in_size",
                                                    "taps",  "stride",      "out_size",     "padding"};
// Shares of the physics, relative to the machine like all that a correction for other GPUs may see.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShares = {{{"fwd_share", "fwd_s"},
                                                                                   {"bwd_data_share", "bwd_data_s"},
                                                                                   {"bwd_weight_share", "bwd_weight_s"},
                                                                                   {"input_share", "input_s"},
                                                                                   {"output_share", "output_s"},
                                                                                   {"weights_share", "weights_s"},
                                                                                   {"compute_share", "compute_s"}}};
constexpr std::array<std::string_view, 12> kState = {
    "intensity",  "slowdown", "waves_fwd", "waves_bwd_data", "waves_bwd_weight", "algorithm",
    "activation", "uneven",   "phase",     "update_kernels", "update_s",         "physics_s"};
constexpr std::array<std::string_view, 3> kMachine = {"peak", "bandwidth", "sm_count"};
constexpr std::array<std::string_view, 5> kCounts = {"operations", "phase", "activation", "uneven", "update_kernels"};
// What the value is a mean of, by the names of their columns.
constexpr std::array<std::string_view, 4> kMembers = {"physics_s", "ridge_s", "corrected_s", "trees_s"};
constexpr std::size_t kOwnMembers = kMembers.size(), kOtherMembers = 3;  // trees alone know nothing of other GPUs

template <class Range>
void add_columns(std::vector<std::string>& columns, const Range& names) {
  for (const std::string_view name : names) columns.emplace_back(name);
}

std::vector<std::string> correction_columns(bool machine) {
  std::vector<std::string> columns;
  add_columns(columns, kSizes);
  add_columns(columns, kState);
  for (const auto& [share, term] : kShares) columns.emplace_back(share);
  if (machine) add_columns(columns, kMachine);
  return columns;
}

Term term_of(std::string_view column) { return {Factor{.column = std::string(column)}}; }

void add_column(NumberTable& table, std::string_view name, const std::vector<double>& values) {
  const std::size_t rows = table.rows(), columns = table.values.columns();
  Matrix wider(rows, columns + 1);
  std::copy(table.values.data(), table.values.data() + rows * columns, wider.data());
  std::copy(values.begin(), values.end(), wider.column(columns).begin());
  table.names.emplace_back(name);
  table.values = std::move(wider);
}

std::span<const double> column_of(const NumberTable& table, std::string_view name) {
  return table.values.column(*table.find(name));
}

bool varies(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

Indices where(const GreyBoxRows& rows, const std::vector<std::string>& labels, const std::string& label) {
  Indices chosen;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (labels[row] == label) chosen.push_back(row);
  }
  return chosen;
}

std::set<std::string> different(const std::vector<std::string>& values) { return {values.begin(), values.end()}; }

// Coefficients without negative ones that make the mean squared logarithm of measured / predicted small: Gauss-Newton
// on the logarithm, each step by nnls. A coefficient's prior weighs as much as prior_rows rows that it alone explains:
// 1 for kernels of the analytic model, 0 for what comes on top.
Result<std::vector<double>> physics_coefficients(const Matrix& terms, const std::vector<std::string_view>& names,
                                                 const std::vector<double>& seconds) {
  constexpr double kPriorRows = 0.3, kFew = 10, kLeastShare = 0.05;
  constexpr int kSteps = 8;
  const std::size_t rows = terms.rows(), columns = terms.columns();
  const double few = kFew / static_cast<double>(rows), prior_rows = kPriorRows + few * few;
  std::vector<double> coefficients(columns, 0), predicted = seconds;
  for (int step = 0; step < kSteps; ++step) {
    Matrix x(rows + columns, columns);
    std::vector<double> y(rows + columns, 0);
    for (std::size_t row = 0; row < rows; ++row) {
      y[row] = 1 + std::clamp(std::log(seconds[row] / predicted[row]), -1.0, 1.0);
      for (std::size_t column = 0; column < columns; ++column) {
        x(row, column) = terms(row, column) / predicted[row];
      }
    }
    for (std::size_t column = 0; column < columns; ++column) {
      double squares = 0;
      for (std::size_t row = 0; row < rows; ++row) squares += x(row, column) * x(row, column);
      const double pull = std::sqrt(prior_rows * squares / static_cast<double>(rows));
      const bool analytic =
          names[column] == "fwd_s" || names[column] == "bwd_data_s" || names[column] == "bwd_weight_s";
      x(rows + column, column) = pull;
      y[rows + column] = analytic ? pull : 0;
    }
    auto solved = regression::nnls_fit(x, y);
    if (!solved) return tl::unexpected(solved.error());
    coefficients = std::move(*solved);
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < columns; ++column) sum += coefficients[column] * terms(row, column);
      predicted[row] = std::max(sum, kLeastShare * seconds[row]);
    }
  }
  return coefficients;
}

std::string physics_name(const std::string& part, const std::string& gpu) {
  return fmt::format("physics {} on {}", part, gpu);
}

// Of the rows of one part on one GPU.
Result<FittedEquation> fit_physics(const GreyBoxRows& rows, std::string name) {
  std::vector<std::string_view> names;
  for (const std::string_view term : kPhysicsTerms) {
    const auto values = column_of(rows.table, term);
    if (std::any_of(values.begin(), values.end(), [](double value) { return value > 0; })) names.push_back(term);
  }
  Matrix terms(rows.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto values = column_of(rows.table, names[i]);
    std::copy(values.begin(), values.end(), terms.column(i).begin());
  }
  const auto coefficients = physics_coefficients(terms, names, rows.seconds);
  if (!coefficients) return tl::unexpected(coefficients.error());
  FittedEquation equation;
  equation.name = std::move(name);
  equation.technique = Technique::nnls;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((*coefficients)[i] > 0)
      equation.terms.push_back({.term = term_of(names[i]), .coefficient = (*coefficients)[i]});
  }
  for (const std::string_view rate : {"peak", "bandwidth"}) {
    const double value = column_of(rows.table, rate).front();
    equation.ranges.push_back({std::string(rate), value, value});
  }
  equation.figures.rows = rows.size();
  return equation;
}

// What an equation of physics says of a row: the call of the harness, whose host is another with every GPU, and what
// the GPU does.
struct PhysicsParts {
  double host = 0, gpu = 0;
};

// The physics of one part: an equation for each GPU that ran it.
class PartPhysics {
 public:
  PartPhysics(const Equations& equations, const std::string& part) : part_(part) {
    for (const FittedEquation& one : equations) {
      if (one.name.starts_with(physics_name(part, ""))) equations_.push_back(&one);
    }
  }
  bool empty() const { return equations_.empty(); }

  double seconds(const NumberTable& table, std::size_t row, const std::string& gpu) const {
    const std::string own = physics_name(part_, gpu);
    double host = 0, of_gpu = 0, weights = 0;
    for (const FittedEquation* equation : equations_) {
      const PhysicsParts parts = parts_of(*equation, table, row);
      if (equation->name == own) return parts.host + parts.gpu;
      const double weight = likeness(*equation, table, row);
      host += parts.host / static_cast<double>(equations_.size());
      of_gpu += weight * parts.gpu;
      weights += weight;
    }
    return host + of_gpu / weights;
  }

 private:
  static PhysicsParts parts_of(const FittedEquation& equation, const NumberTable& table, std::size_t row) {
    PhysicsParts parts;
    for (const regression::FittedTerm& term : equation.terms) {
      const std::string& name = term.term.front().column;
      const double seconds = term.coefficient * column_of(table, name)[row];
      (name == "call" || name == "update_kernels" ? parts.host : parts.gpu) += seconds;
    }
    return parts;
  }

  // Of the equation's GPU and the row's: how near their peaks and bandwidths are.
  static double likeness(const FittedEquation& equation, const NumberTable& table, std::size_t row) {
    constexpr double kSame = 0.1;  // a distance that makes no difference, squared
    double squares = kSame;
    for (const regression::ColumnRange& range : equation.ranges) {
      const double far = std::log(column_of(table, range.column)[row] / range.low);
      squares += far * far;
    }
    return 1 / squares;
  }

  std::string part_;
  std::vector<const FittedEquation*> equations_;
};

// By the row's own GPU where there is an equation, else by all GPUs that have one; without any, the analytic model's.
std::vector<double> physics_of(const Equations& equations, const GreyBoxRows& rows) {
  const auto analytic = column_of(rows.table, "analytic_s");
  std::vector<double> seconds(analytic.begin(), analytic.end());
  for (const std::string& part : different(rows.parts)) {
    const PartPhysics physics(equations, part);
    if (physics.empty()) continue;
    for (const std::size_t row : where(rows, rows.parts, part)) {
      const double value = physics.seconds(rows.table, row, rows.gpus[row]);
      if (value > 0) seconds[row] = value;
    }
  }
  return seconds;
}

// The rows' numbers with the physics and the shares of it.
NumberTable with_physics(const Equations& equations, const GreyBoxRows& rows) {
  const std::vector<double> physics = physics_of(equations, rows);
  NumberTable table = rows.table;
  add_column(table, "physics_s", physics);
  for (const auto& [share, term] : kShares) {
    const auto values = column_of(rows.table, term);
    std::vector<double> shares(physics.size());
    for (std::size_t row = 0; row < physics.size(); ++row) shares[row] = values[row] / physics[row];
    add_column(table, share, shares);
  }
  return table;
}

// Logarithms of the sizes and of two ratios, and their products.
std::vector<Term> ridge_terms(const NumberTable& table) {
  std::vector<std::string_view> columns;
  for (const std::string_view name : {"batch", "in_channels", "out_channels", "in_size", "taps", "stride", "out_size",
                                      "intensity", "slowdown", "physics_s"}) {
    const auto values = column_of(table, name);
    const bool positive = std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
    if (positive && varies(values)) columns.push_back(name);
  }
  std::vector<Term> terms = {{}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Factor first = {.column = std::string(columns[i]), .log = true};
    terms.push_back({first});
    terms.push_back({{.column = first.column, .power = 2, .log = true}});
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      terms.push_back({first, {.column = std::string(columns[j]), .log = true}});
    }
  }
  return terms;
}

struct MemberNames {
  std::string ridge, correction, trees, value;
  MemberNames(const std::string& operation, bool own)
      : ridge(fmt::format("ridge correction {}{}", operation, own ? "" : kOther)),
        correction(fmt::format("tree correction {}{}", operation, own ? "" : kOther)),
        trees(fmt::format("trees alone {}", operation)),
        value(fmt::format("{}{}", operation, own ? "" : kOther)) {}
};

constexpr std::size_t kLeastRows = 20;  // of a correction

// The members' equations but the physics, for the GPUs of the fit or for others.
Result<void> add_members(Equations& equations, const GreyBoxRows& rows, bool own, const GreyBoxOptions& options) {
  if (rows.size() < kLeastRows) return {};
  const NumberTable table = with_physics(equations, rows);
  const MemberNames names(rows.operations.front(), own);
  const regression::FitProblem problem = {table, rows.seconds, rows.shapes};
  regression::EquationOptions equation;
  equation.level = 0;
  equation.folds = options.folds;
  equation.seed = options.seed;
  equation.trees = {options.trees};
  const auto add = [&](const std::string& name, Technique technique, std::vector<Term> terms,
                       std::string multiplier) -> Result<void> {
    equation.name = name;
    equation.technique = technique;
    equation.terms = std::move(terms);
    equation.target = {.log = true, .multiplier = std::move(multiplier)};
    auto fit = fit_equation(problem, equation);
    if (!fit) return tl::unexpected(fit.error());
    fit->equation.ranges.clear();  // those of the value warn
    equations.push_back(std::move(fit->equation));
    return {};
  };
  const auto terms_of = [&](const std::vector<std::string>& columns) {
    std::vector<Term> terms;
    for (const std::string& column : columns) {
      if (varies(column_of(table, column))) terms.push_back(term_of(column));
    }
    return terms;
  };
  if (auto added = add(names.ridge, Technique::ridge, ridge_terms(table), "physics_s"); !added) return added;
  if (!regression::has_xgboost()) return {};
  if (auto added = add(names.correction, Technique::trees, terms_of(correction_columns(own)), "physics_s"); !added) {
    return added;
  }
  return own ? add(names.trees, Technique::trees, terms_of(shape_columns()), "") : Result<void>();
}

Result<Equations> fit_members(const GreyBoxRows& rows, bool own, bool other, const GreyBoxOptions& options) {
  Equations equations;
  for (const std::string& part : different(rows.parts)) {
    const GreyBoxRows of_part = rows_of(rows, where(rows, rows.parts, part));
    for (const std::string& gpu : different(of_part.gpus)) {
      auto physics = fit_physics(rows_of(of_part, where(of_part, of_part.gpus, gpu)), physics_name(part, gpu));
      if (!physics) return tl::unexpected(physics.error());
      equations.push_back(std::move(*physics));
    }
  }
  for (const bool which : {true, false}) {
    if (!(which ? own : other)) continue;
    if (auto added = add_members(equations, rows, which, options); !added) return tl::unexpected(added.error());
  }
  return equations;
}

const FittedEquation* find(const Equations& equations, const std::string& name) {
  const auto found =
      std::find_if(equations.begin(), equations.end(), [&](const FittedEquation& one) { return one.name == name; });
  return found == equations.end() ? nullptr : &*found;
}

// The rows' numbers with a column for each member; members without an equation are the physics.
Result<NumberTable> with_members(const Equations& equations, const GreyBoxRows& rows, bool own) {
  NumberTable table = with_physics(equations, rows);
  const MemberNames names(rows.operations.front(), own);
  const auto physics = column_of(table, "physics_s");
  const std::vector<double> fallback(physics.begin(), physics.end());
  const std::array<std::pair<std::string_view, const std::string*>, 3> members = {
      {{"ridge_s", &names.ridge}, {"corrected_s", &names.correction}, {"trees_s", &names.trees}}};
  for (const auto& [column, name] : members) {
    const FittedEquation* equation = find(equations, *name);
    std::vector<double> values = fallback;
    if (equation != nullptr) {
      const auto predicted = predict(*equation, table);
      if (!predicted) return tl::unexpected(predicted.error());
      for (std::size_t row = 0; row < values.size(); ++row) values[row] = (*predicted)[row].value;
    }
    add_column(table, column, values);
  }
  return table;
}

// Weights from 0 that sum to 1 with the least squares of logarithms.
Result<std::vector<double>> weights_of(const Matrix& logs, const std::vector<double>& target) {
  constexpr double kFirm = 1e3, kLeast = 0.01;
  const std::size_t rows = logs.rows(), members = logs.columns();
  Matrix x(rows + 1, members);
  std::vector<double> y(rows + 1);
  const double firm = kFirm * std::sqrt(static_cast<double>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    // About the first member: as the weights sum to 1, a shift of the row changes nothing.
    y[row] = target[row] - logs(row, 0);
    for (std::size_t member = 0; member < members; ++member) x(row, member) = logs(row, member) - logs(row, 0);
  }
  for (std::size_t member = 0; member < members; ++member) x(rows, member) = firm;
  y[rows] = firm;
  auto weights = regression::nnls_fit(x, y);
  if (!weights) return weights;
  double sum = 0;
  for (double& weight : *weights) {
    if (weight < kLeast) weight = 0;
    sum += weight;
  }
  for (double& weight : *weights) weight /= sum;
  return weights;
}

FittedEquation value_of(const GreyBoxRows& rows, const std::vector<double>& weights, bool own) {
  FittedEquation equation;
  equation.name = MemberNames(rows.operations.front(), own).value;
  equation.target.log = true;
  for (std::size_t member = 0; member < weights.size(); ++member) {
    if (weights[member] == 0) continue;
    equation.terms.push_back(
        {.term = {{.column = std::string(kMembers[member]), .log = true}}, .coefficient = weights[member]});
  }
  for (const std::string_view name : kSizes) {
    const auto values = column_of(rows.table, name);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    equation.ranges.push_back({std::string(name), *low, *high});
  }
  equation.figures.rows = rows.size();
  return equation;
}

// How the members are weighed: by rows that fits of them have not seen, which are of other shapes. For other GPUs all
// weigh the same, as a few GPUs do not tell which is best; they tell the interval, each by fits without it.
Result<FittedEquation> fit_value(const GreyBoxRows& rows, bool own, const GreyBoxOptions& options) {
  const std::vector<double> physics_alone = {1};
  const std::size_t members = own ? kOwnMembers : kOtherMembers;
  std::vector<regression::Split> splits;
  if (own && rows.size() >= kLeastRows) {
    auto folds = regression::up_to_k_fold(rows.size(), options.folds, options.seed, rows.shapes);
    if (folds) splits = std::move(*folds);
  } else if (!own && different(rows.gpus).size() > 1) {
    auto folds = regression::leave_one_group_out(rows.gpus);
    if (!folds) return tl::unexpected(folds.error());
    splits = std::move(*folds);
  }
  if (splits.empty()) return value_of(rows, physics_alone, own);

  Matrix logs(rows.size(), members);
  std::vector<double> target(rows.size());
  for (const regression::Split& split : splits) {
    const GreyBoxRows seen = rows_of(rows, split.training), unseen = rows_of(rows, split.validation);
    const auto equations = fit_members(seen, own, !own, options);
    if (!equations) return tl::unexpected(equations.error());
    const auto table = with_members(*equations, unseen, own);
    if (!table) return tl::unexpected(table.error());
    for (std::size_t member = 0; member < members; ++member) {
      const auto values = column_of(*table, kMembers[member]);
      for (std::size_t i = 0; i < values.size(); ++i) logs(split.validation[i], member) = std::log(values[i]);
    }
  }
  for (std::size_t row = 0; row < rows.size(); ++row) target[row] = std::log(rows.seconds[row]);
  const auto weights =
      own ? weights_of(logs, target) : std::vector<double>(members, 1.0 / static_cast<double>(members));
  if (!weights) return tl::unexpected(weights.error());
  FittedEquation value = value_of(rows, *weights, own);
  std::vector<double> predicted(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    double sum = 0;
    for (std::size_t member = 0; member < members; ++member) sum += (*weights)[member] * logs(row, member);
    predicted[row] = std::exp(sum);
  }
  const regression::Errors errors = regression::errors_of(rows.seconds, predicted);
  value.figures.held_out_mape = errors.mape;
  value.figures.held_out_gmae = errors.gmae;
  const auto width =
      regression::conformal_quantile(regression::log_ratio_scores(rows.seconds, predicted), options.level);
  if (width) {
    value.interval = regression::Interval{
        options.level, std::exp(*width),
        own ? fmt::format("{}-fold cross-validation", splits.size()) : std::string("GPUs left out"), rows.size()};
  }
  return value;
}

}  // namespace

Result<FittedModel> fit_grey_box(const GreyBoxRows& rows, const GreyBoxOptions& options) {
  if (std::any_of(rows.seconds.begin(), rows.seconds.end(), [](double time) { return !(time > 0); })) {
    return fail(ErrorCode::bad_input, "a row without a measured time cannot be fitted to");
  }
  FittedModel model;
  model.name = options.name;
  model.kind = kGreyBoxKind;
  model.fitted_on = rows.fitted_on;
  model.fitted_on.rows = rows.size();
  model.fitted_on.date = options.date;
  for (const std::string& operation : different(rows.operations)) {
    const GreyBoxRows own = rows_of(rows, where(rows, rows.operations, operation));
    auto equations = fit_members(own, options.known_gpus, options.other_gpus, options);
    if (!equations) return tl::unexpected(equations.error());
    std::move(equations->begin(), equations->end(), std::back_inserter(model.equations));
    for (const bool which : {true, false}) {
      if (!(which ? options.known_gpus : options.other_gpus)) continue;
      auto value = fit_value(own, which, options);
      if (!value) return tl::unexpected(value.error());
      model.equations.push_back(std::move(*value));
    }
  }
  return model;
}

std::vector<std::string> shape_columns() {
  std::vector<std::string> columns;
  add_columns(columns, kSizes);
  add_columns(columns, kCounts);
  add_columns(columns, kMachine);
  return columns;
}

bool knows(const FittedModel& model, const GreyBoxRows& rows, std::size_t row) {
  return model.find(physics_name(rows.parts[row], rows.gpus[row])) != nullptr;
}

Result<std::vector<Predicted>> predict_grey_box(const FittedModel& model, const GreyBoxRows& rows) {
  if (model.kind != kGreyBoxKind) {
    return fail(ErrorCode::usage, fmt::format("the model is of kind '{}', not {}", one_line(model.kind), kGreyBoxKind));
  }
  std::vector<Predicted> result(rows.size());
  for (const std::string& operation : different(rows.operations)) {
    for (const bool own : {true, false}) {
      Indices chosen = where(rows, rows.operations, operation);
      std::erase_if(chosen, [&](std::size_t row) { return knows(model, rows, row) != own; });
      if (chosen.empty()) continue;
      const FittedEquation* value = model.find(MemberNames(operation, own).value);
      if (value == nullptr) {
        const bool known = model.find(MemberNames(operation, !own).value) != nullptr;
        return fail(ErrorCode::unsupported, fmt::format("the model has not been fitted to rows of {}{}",
                                                        one_line(operation), known && !own ? kOther : ""));
      }
      const GreyBoxRows part = rows_of(rows, chosen);
      const auto table = with_members(model.equations, part, own);
      if (!table) return tl::unexpected(table.error());
      auto predicted = predict(*value, *table);
      if (!predicted) return tl::unexpected(predicted.error());
      for (std::size_t i = 0; i < chosen.size(); ++i) result[chosen[i]] = std::move((*predicted)[i]);
    }
  }
  return result;
}

}  // namespace rooftile
