#include "rooftile/learn/grey_box/physics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/grey_box/columns.hpp"
#include "rooftile/regression/nnls.hpp"

namespace rooftile {
namespace {

using regression::FittedEquation;
using regression::Matrix;
using regression::NumberTable;

// What coefficients are taken to be before any row is seen, as firmly as `rows` rows that one alone explains would say.
struct Prior {
  double rows = 0;
  std::vector<double> coefficients;
};

// 1 for kernels of the analytic model, 0 for what comes on top; what few rows leave open is as in `wider`, an equation
// of more rows, if there is one.
Prior prior_of(const std::vector<std::string_view>& names, std::size_t rows, const FittedEquation* wider) {
  constexpr double kRows = 0.3, kFew = 10;
  const double few = kFew / static_cast<double>(rows), open = few * few;
  Prior prior{kRows + open, {}};
  for (const std::string_view name : names) {
    const double analytic = name == "fwd_s" || name == "bwd_data_s" || name == "bwd_weight_s" ? 1 : 0;
    double of_wider = wider == nullptr ? analytic : 0;
    for (std::size_t i = 0; wider != nullptr && i < wider->terms.size(); ++i) {
      if (wider->terms[i].term.front().column == name) of_wider = wider->terms[i].coefficient;
    }
    prior.coefficients.push_back((kRows * analytic + open * of_wider) / prior.rows);
  }
  return prior;
}

// Coefficients without negative ones that make the mean squared logarithm of measured / predicted small: Gauss-Newton
// on the logarithm, each step by nnls.
Result<std::vector<double>> physics_coefficients(const Matrix& terms, const std::vector<double>& seconds,
                                                 const Prior& prior) {
  constexpr double kLeastShare = 0.05;
  constexpr int kSteps = 8;
  const std::size_t rows = terms.rows(), columns = terms.columns();
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
      const double pull = std::sqrt(prior.rows * squares / static_cast<double>(rows));
      x(rows + column, column) = pull;
      y[rows + column] = pull * prior.coefficients[column];
    }
    auto solved = TRY(regression::nnls_fit(x, y));
    coefficients = std::move(solved);
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < columns; ++column) sum += coefficients[column] * terms(row, column);
      predicted[row] = std::max(sum, kLeastShare * seconds[row]);
    }
  }
  return coefficients;
}

constexpr std::string_view kPhysics = "physics ";  // before the names of its equations
constexpr std::array<std::string_view, 2> kRates = {"peak", "bandwidth"};

bool is_physics(const FittedEquation& equation) {
  const auto is_term = [](const regression::FittedTerm& term) {
    const bool one = term.term.size() == 1 && term.term.front().power == 1 && !term.term.front().log;
    return one && term.coefficient >= 0 &&
           std::find(kPhysicsTerms.begin(), kPhysicsTerms.end(), term.term.front().column) != kPhysicsTerms.end();
  };
  const auto has_rate = [&](std::string_view rate) {
    return std::any_of(equation.ranges.begin(), equation.ranges.end(),
                       [&](const regression::ColumnRange& range) { return range.column == rate && range.low > 0; });
  };
  return !equation.trees && equation.ranges.size() == kRates.size() &&
         std::all_of(equation.terms.begin(), equation.terms.end(), is_term) &&
         std::all_of(kRates.begin(), kRates.end(), has_rate);
}

// Of rows on one GPU.
Result<FittedEquation> fit_one(const GreyBoxRows& rows, std::string name, const FittedEquation* wider = nullptr) {
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
  const auto coefficients = TRY(physics_coefficients(terms, rows.seconds, prior_of(names, rows.size(), wider)));
  FittedEquation equation;
  equation.name = std::move(name);
  equation.technique = regression::Technique::nnls;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (coefficients[i] > 0)
      equation.terms.push_back({.term = {{.column = std::string(names[i])}}, .coefficient = coefficients[i]});
  }
  for (const std::string_view rate : kRates) {
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
  PartPhysics(const std::vector<FittedEquation>& equations, const std::string& part) : part_(part) {
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

}  // namespace

std::string physics_name(const std::string& part, const std::string& gpu) {
  return fmt::format("{}{} on {}", kPhysics, part, gpu);
}

Result<void> check_physics(const std::vector<FittedEquation>& equations) {
  for (const FittedEquation& equation : equations) {
    if (!equation.name.starts_with(kPhysics) || is_physics(equation)) continue;
    return fail(ErrorCode::bad_input, fmt::format("'{}' is no sum of the grey box's terms, none negative, with the "
                                                  "rates of a GPU",
                                                  one_line(equation.name)));
  }
  return {};
}

Result<std::vector<FittedEquation>> fit_physics(const GreyBoxRows& rows) {
  std::map<std::string, FittedEquation> of_gpus;  // all parts together, where there are several
  for (const std::string& gpu : different(rows.gpus)) {
    const GreyBoxRows of_gpu = rows_of(rows, where(rows.gpus, gpu));
    if (different(of_gpu.parts).size() < 2) continue;
    auto physics = TRY(fit_one(of_gpu, gpu));
    of_gpus.emplace(gpu, std::move(physics));
  }
  std::vector<FittedEquation> equations;
  for (const std::string& part : different(rows.parts)) {
    const GreyBoxRows of_part = rows_of(rows, where(rows.parts, part));
    for (const std::string& gpu : different(of_part.gpus)) {
      const auto wider = of_gpus.find(gpu);
      auto physics = TRY(fit_one(rows_of(of_part, where(of_part.gpus, gpu)), physics_name(part, gpu),
                                 wider == of_gpus.end() ? nullptr : &wider->second));
      equations.push_back(std::move(physics));
    }
  }
  return equations;
}

std::vector<double> physics_of(const std::vector<FittedEquation>& equations, const GreyBoxRows& rows) {
  const auto analytic = column_of(rows.table, "analytic_s");
  std::vector<double> seconds(analytic.begin(), analytic.end());
  for (const std::string& part : different(rows.parts)) {
    const PartPhysics physics(equations, part);
    if (physics.empty()) continue;
    for (const std::size_t row : where(rows.parts, part)) {
      const double value = physics.seconds(rows.table, row, rows.gpus[row]);
      if (value > 0) seconds[row] = value;
    }
  }
  return seconds;
}

NumberTable with_physics(const std::vector<FittedEquation>& equations, const GreyBoxRows& rows) {
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

}  // namespace rooftile
