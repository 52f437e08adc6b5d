#include "rooftile/learn/grey_box/members.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/columns.hpp"
#include "rooftile/learn/grey_box/physics.hpp"
#include "rooftile/regression/fit_equation.hpp"
#include "rooftile/regression/trees.hpp"

namespace rooftile {
namespace {

using regression::Factor;
using regression::FittedEquation;
using regression::NumberTable;
using regression::Technique;
using regression::Term;

using Equations = std::vector<FittedEquation>;

constexpr std::array<std::string_view, 12> kState = {
    "intensity",  "slowdown", "waves_fwd", "waves_bwd_data", "waves_bwd_weight", "algorithm",
    "activation", "uneven",   "phase",     "update_kernels", "update_s",         "physics_s"};
constexpr std::array<std::string_view, 3> kMachine = {"peak", "bandwidth", "sm_count"};
constexpr std::array<std::string_view, 5> kCounts = {"operations", "phase", "activation", "uneven", "update_kernels"};

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

// The members' equations but the physics, for the GPUs of the fit or for others.
Result<void> add_members(Equations& equations, const GreyBoxRows& rows, bool own, const GreyBoxOptions& options) {
  if (!can_be_corrected(rows)) return {};
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
    if (terms.empty()) return {};  // nothing that it may see varies
    equation.name = name;
    equation.technique = technique;
    equation.terms = std::move(terms);
    equation.target = {.log = true, .multiplier = std::move(multiplier)};
    auto fit = TRY(fit_equation(problem, equation));
    fit.equation.ranges.clear();  // those of the value warn
    equations.push_back(std::move(fit.equation));
    return {};
  };
  const auto terms_of = [&](const std::vector<std::string>& columns) {
    std::vector<Term> terms;
    for (const std::string& column : columns) {
      if (varies(column_of(table, column))) terms.push_back(term_of(column));
    }
    return terms;
  };
  TRY(add(names.ridge, Technique::ridge, ridge_terms(table), "physics_s"));
  if (!regression::has_xgboost()) return {};
  TRY(add(names.correction, Technique::trees, terms_of(correction_columns(own)), "physics_s"));
  return own ? add(names.trees, Technique::trees, terms_of(shape_columns()), "") : Result<void>();
}

const FittedEquation* find(const Equations& equations, const std::string& name) {
  const auto found =
      std::find_if(equations.begin(), equations.end(), [&](const FittedEquation& one) { return one.name == name; });
  return found == equations.end() ? nullptr : &*found;
}

}  // namespace

bool can_be_corrected(const GreyBoxRows& rows) {
  constexpr std::size_t kLeastRows = 20;
  return rows.size() >= kLeastRows && varies(rows.shapes);
}

MemberNames::MemberNames(const std::string& operation, bool own)
    : ridge(fmt::format("ridge correction {}{}", operation, own ? "" : kOtherGpus)),
      correction(fmt::format("tree correction {}{}", operation, own ? "" : kOtherGpus)),
      trees(fmt::format("trees alone {}", operation)),
      value(fmt::format("{}{}", operation, own ? "" : kOtherGpus)) {}

Result<Equations> fit_members(const GreyBoxRows& rows, bool own, bool other, const GreyBoxOptions& options) {
  auto equations = fit_physics(rows);
  if (!equations) return equations;
  for (const bool which : {true, false}) {
    if (!(which ? own : other)) continue;
    TRY(add_members(*equations, rows, which, options));
  }
  return equations;
}

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
      const auto predicted = TRY(predict(*equation, table));
      for (std::size_t row = 0; row < values.size(); ++row) values[row] = predicted[row].value;
    }
    add_column(table, column, values);
  }
  return table;
}

std::vector<std::string> shape_columns() {
  std::vector<std::string> columns;
  add_columns(columns, kSizes);
  add_columns(columns, kCounts);
  add_columns(columns, kMachine);
  return columns;
}

}  // namespace rooftile
