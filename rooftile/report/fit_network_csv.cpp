// End-to-end models as a table of their errors.
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/fit_network.hpp"

namespace rooftile {
namespace {

template <class Number>
std::string cell(const Number& value) {
  return fmt::format("{}", value);
}

template <class Number>
std::string cell(const std::optional<Number>& value) {
  return value ? cell(*value) : "";
}

}  // namespace

std::string network_fit_csv(const NetworkFit& fit) {
  std::vector<std::string> header = fit.by;
  for (const char* name : {"way", "fitted", "fitted_mape", "cross_validated_mape", "held_out", "held_out_mape",
                           "held_out_median", "held_out_p90", "held_out_gmae", "interval_factor", "inside"}) {
    header.emplace_back(name);
  }
  std::string text = write_csv_row(header);
  for (const NetworkGroup& group : fit.groups) {
    for (const NetworkVerdict& verdict : group.verdicts) {
      const regression::FittedEquation& equation = verdict.fit.equation;
      const regression::Errors& held_out = verdict.validation;
      const auto factor = equation.interval ? std::optional(equation.interval->factor) : std::nullopt;
      std::vector<std::string> row = group.key;
      for (std::string& value : std::vector{verdict.way, cell(group.training), cell(verdict.training.mape),
                                            cell(equation.figures.held_out_mape), cell(group.validation),
                                            cell(held_out.mape), cell(held_out.median), cell(held_out.p90),
                                            cell(held_out.gmae), cell(factor), cell(held_out.inside)}) {
        row.push_back(value);
      }
      text += write_csv_row(row);
    }
  }
  return text;
}

}  // namespace rooftile
