#include "rooftile/regression/term.hpp"

#include <cmath>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"

namespace rooftile::regression {
namespace {

constexpr std::size_t kMostTerms = 5000;

std::string text_of(const Factor& factor, double power) {
  std::string text = factor.log ? fmt::format("ln({})", factor.column) : factor.column;
  if (power != 1) text += fmt::format("^{}", power);
  return text;
}

// Adds the products of `wanted` more columns, the first of them at or after `from`.
void add_products(std::span<const std::string> columns, std::size_t from, std::size_t wanted, bool inverses,
                  const Term& begun, std::vector<Term>& terms) {
  if (terms.size() > kMostTerms) return;
  if (wanted == 0) {
    terms.push_back(begun);
    return;
  }
  for (std::size_t column = from; column + wanted <= columns.size(); ++column) {
    for (const double power : {1.0, -1.0}) {
      if (power < 0 && !inverses) continue;
      Term longer = begun;
      longer.push_back({columns[column], power});
      add_products(columns, column + 1, wanted - 1, inverses, longer, terms);
    }
  }
}

// A short cut for the powers that occur, which std::pow would take a hundred cycles for.
double raised(double value, double power) {
  if (power == 1) return value;
  if (power == -1) return 1 / value;
  return std::pow(value, power);
}

Error not_finite(const Term& term, const NumberTable& table, std::size_t row) {
  std::string values;
  for (const Factor& factor : term) {
    values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", factor.column,
                          table.values(row, *table.find(factor.column)));
  }
  return {ErrorCode::bad_input,
          fmt::format("{} is no number in row {}, where {}", one_line(text_of(term)), row + 1, one_line(values)),
          {}};
}

}  // namespace

std::string text_of(const Term& term) {
  std::string above;
  std::string below;
  for (const Factor& factor : term) {
    if (factor.power < 0) {
      below += fmt::format("/{}", text_of(factor, -factor.power));
    } else {
      above += fmt::format("{}{}", above.empty() ? "" : "*", text_of(factor, factor.power));
    }
  }
  return (above.empty() ? "1" : above) + below;
}

Result<std::vector<Term>> alphabet(std::span<const std::string> columns, const AlphabetOptions& options) {
  std::vector<Term> terms;
  if (options.intercept) terms.emplace_back();
  for (std::size_t degree = 1; degree <= options.degree && degree <= columns.size(); ++degree) {
    add_products(columns, 0, degree, options.inverses, {}, terms);
  }
  if (terms.size() > kMostTerms) {
    return fail(ErrorCode::usage, fmt::format("products of up to {} of {} columns are more than {} terms; take fewer "
                                              "columns or a lower degree",
                                              options.degree, columns.size(), kMostTerms));
  }
  return terms;
}

Result<Matrix> design_matrix(std::span<const Term> terms, const NumberTable& table) {
  Matrix design(table.rows(), terms.size(), 1);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::span<double> values = design.column(i);
    for (const Factor& factor : terms[i]) {
      const auto column = table.find(factor.column);
      if (!column) {
        return fail(ErrorCode::not_found, fmt::format("there is no column '{}'{}", one_line(factor.column),
                                                      did_you_mean(factor.column, table.names)));
      }
      const std::span<const double> from = table.values.column(*column);
      for (std::size_t row = 0; row < values.size(); ++row) {
        values[row] *= raised(factor.log ? std::log(from[row]) : from[row], factor.power);
      }
    }
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!std::isfinite(values[row])) return tl::unexpected(not_finite(terms[i], table, row));
    }
  }
  return design;
}

}  // namespace rooftile::regression
