#include <fmt/format.h>

#include "rooftile/report/regression.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

std::string number(const std::optional<double>& value, int digits = 4) {
  return value ? fmt::format("{:.{}g}", *value, digits) : std::string("-");
}

void add_figure(std::string& line, std::string_view name, const std::optional<double>& value, bool is_share) {
  if (value) line += fmt::format(", {} {}", name, is_share ? percent(*value, 1) : number(value));
}

std::string figures_line(const regression::FittedEquation& equation) {
  const regression::FitFigures& figures = equation.figures;
  std::string line = fmt::format("{}, {}", name_of(equation.technique), counted(figures.rows, "row"));
  add_figure(line, "R2", figures.r2, false);
  add_figure(line, "adjusted R2", figures.adjusted_r2, false);
  add_figure(line, "residual standard error", figures.residual_standard_error, false);
  add_figure(line, "condition number", figures.condition_number, false);
  add_figure(line, "penalty", figures.penalty, false);
  add_figure(line, "MAPE", figures.mape, true);
  add_figure(line, "held-out MAPE", figures.held_out_mape, true);
  if (const auto& interval = equation.interval) {
    line += fmt::format("; {:.4g} % of values within a factor of {:.3g} ({})", 100 * interval->level, interval->factor,
                        interval->made_by);
  }
  return line;
}

}  // namespace

std::string coefficient_table(const regression::FittedEquation& equation, std::size_t width) {
  std::string text = equation.name.empty() ? "" : equation.name + "\n";
  if (equation.trees) {
    text += fmt::format("  {} trees over {} terms\n", equation.trees->trees.size(), equation.terms.size());
  } else {
    TextTable table({{"term"},
                     {"coefficient", Align::right},
                     {"standard error", Align::right},
                     {"t", Align::right},
                     {"VIF", Align::right}});
    for (const regression::FittedTerm& term : equation.terms) {
      std::optional<double> t;
      if (term.standard_error && *term.standard_error > 0) t = term.coefficient / *term.standard_error;
      table.add({text_of(term.term), number(term.coefficient, 6), number(term.standard_error), number(t, 3),
                 number(term.vif, 3)});
    }
    text += table.text(width);
  }
  return text + page_line("  " + figures_line(equation), width, "    ");
}

std::string fit_warnings_text(std::span<const regression::FitWarning> warnings, std::size_t width) {
  std::string text;
  for (const regression::FitWarning& warning : warnings) text += page_line("warning: " + warning.text(), width, "  ");
  return text;
}

}  // namespace rooftile
