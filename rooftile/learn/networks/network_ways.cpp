#include "rooftile/learn/networks/network_ways.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

struct WayText {
  Way way;
  std::string_view name, description;
};
constexpr std::array kWays = {
    WayText{Way::affine, "affine", "affine in batch and iterations (published)"},
    WayText{Way::alphabet, "alphabet", "products of columns and inverses, selected, ridge (published)"},
    WayText{Way::physics, "physics", "floor, arithmetic, bytes and communication, none negative"},
    WayText{Way::analytic, "analytic", "in proportion to the analytic prediction"},
    WayText{Way::scaled, "scaled", "the analytic prediction times powers of the work"},
    WayText{Way::trees, "trees", "boosted trees, on the analytic prediction where there is one"},
};

const WayText& text_of_way(Way way) {
  return *std::find_if(kWays.begin(), kWays.end(), [&](const WayText& one) { return one.way == way; });
}

bool has(const regression::FitProblem& problem, std::string_view column) {
  return problem.table.find(column).has_value();
}

bool varies(const regression::FitProblem& problem, std::string_view column) {
  const auto place = problem.table.find(column);
  if (!place) return false;
  const std::span<const double> values = problem.table.values.column(*place);
  return std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); });
}

bool positive(const regression::FitProblem& problem, std::string_view column) {
  const auto place = problem.table.find(column);
  if (!place) return false;
  const std::span<const double> values = problem.table.values.column(*place);
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

regression::Term term(const std::string& column) { return {{column}}; }

tl::unexpected<Error> lacks(std::string what) { return fail(ErrorCode::unsupported, std::move(what)); }

// time = c + iterations (a + b batch); where every row is one step, or a fixed number, a + b batch.
Result<void> set_affine(regression::EquationOptions& options, const regression::FitProblem& rows) {
  if (!varies(rows, "batch_size") && !varies(rows, "iterations")) {
    return lacks("neither the batch nor the iterations vary");
  }
  options.terms = {regression::Term()};
  if (varies(rows, "iterations")) {
    options.terms.push_back(term("iterations"));
    if (varies(rows, "batch_size")) options.terms.push_back({{"iterations"}, {"batch_size"}});
  } else {
    options.terms.push_back(term("batch_size"));
  }
  return {};
}

// The letters of the published alphabet that the rows have, and the depth of a network in its own modules.
Result<void> set_alphabet(regression::EquationOptions& options, const regression::FitProblem& rows,
                          const WayOptions& way) {
  static constexpr std::array kLetters = {"iterations", "batch_size", "gpus", "power", "disk", "threads", "modules"};
  for (const char* letter : kLetters) {
    if (varies(rows, letter) && positive(rows, letter)) options.columns.emplace_back(letter);
  }
  if (options.columns.empty()) return lacks("no column of the alphabet varies");
  options.alphabet.degree = way.degree;
  options.most_terms = way.most_terms;
  options.technique = regression::Technique::ridge;
  return {};
}

// A step is a floor, arithmetic and bytes, and with several GPUs the sum of gradients along a ring.
Result<void> set_physics(regression::EquationOptions& options, const regression::FitProblem& rows) {
  std::vector<regression::Term> step = {regression::Term()};
  if (has(rows, "compute_s") && has(rows, "memory_s")) {
    for (const char* time : {"compute_s", "memory_s"}) {
      if (varies(rows, "compute_s") || varies(rows, "memory_s")) step.push_back(term(time));
    }
  } else {
    // Of a network that nobody described the work is at least in proportion to the batch.
    for (const char* rate : {"power", "bandwidth"}) {
      if (!has(rows, "batch_size") || !positive(rows, rate)) continue;
      if (!varies(rows, "batch_size") && !varies(rows, rate)) continue;
      regression::Term share = {{"batch_size"}, {rate, -1}};
      if (varies(rows, "gpus")) share.insert(share.begin() + 1, regression::Factor{"gpus", -1});
      step.push_back(std::move(share));
    }
  }
  if (varies(rows, "ring")) step.push_back(term("ring"));
  options.terms = step;
  if (varies(rows, "iterations")) {
    for (regression::Term& one : options.terms) one.insert(one.begin(), regression::Factor{"iterations"});
    options.terms.insert(options.terms.begin(), regression::Term());
  }
  if (options.terms.size() == 1) return lacks("neither the work nor the GPUs vary");
  options.technique = regression::Technique::nnls;
  return {};
}

Result<void> set_analytic(regression::EquationOptions& options, const regression::FitProblem& rows) {
  if (!has(rows, "analytic_s")) return lacks("not every row has an analytic prediction");
  options.target.multiplier = "analytic_s";
  const std::string each = varies(rows, "iterations") ? "iterations" : "";
  options.terms = {each.empty() ? regression::Term() : term(each)};
  if (varies(rows, "ring")) options.terms.push_back(each.empty() ? term("ring") : regression::Term{{each}, {"ring"}});
  return {};
}

// Logarithms of numbers that are positive in every row and vary.
Result<void> set_scaled(regression::EquationOptions& options, const regression::FitProblem& rows) {
  if (!has(rows, "analytic_s")) return lacks("not every row has an analytic prediction");
  options.target.multiplier = "analytic_s";
  options.target.log = true;
  options.terms = {regression::Term()};
  static constexpr std::array kScales = {"analytic_s", "compute_s", "memory_s", "iterations", "gpus"};
  for (const char* scale : kScales) {
    if (varies(rows, scale) && positive(rows, scale)) options.terms.push_back({{scale, 1, true}});
  }
  if (options.terms.size() == 1) return lacks("the work does not vary");
  options.technique = regression::Technique::ridge;
  return {};
}

// Every number that varies. Trees keep the value of the nearest row beyond the range of the fit, so what they are asked
// for is the factor on a prediction that goes on.
Result<void> set_trees(regression::EquationOptions& options, const regression::FitProblem& rows) {
  if (!regression::has_xgboost()) return lacks("XGBoost is not installed");
  if (has(rows, "analytic_s")) options.target.multiplier = "analytic_s";
  options.target.log = true;
  options.alphabet = {.degree = 1, .inverses = false, .intercept = false};
  for (const std::string& column : rows.table.names) {
    if (varies(rows, column)) options.columns.push_back(column);
  }
  if (options.columns.empty()) return lacks("no column varies");
  options.technique = regression::Technique::trees;
  return {};
}

Result<regression::Factor> parse_factor(std::string_view text, bool inverse) {
  regression::Factor factor;
  if (inverse) factor.power = -1;
  const std::size_t caret = text.find('^');
  if (caret != std::string_view::npos) {
    const std::string power(text.substr(caret + 1));
    char* end = nullptr;
    factor.power *= std::strtod(power.c_str(), &end);
    if (power.empty() || *end != '\0' || !std::isfinite(factor.power)) {
      return fail(ErrorCode::usage, fmt::format("'{}' is not a power", one_line(power, 40)));
    }
    text = text.substr(0, caret);
  }
  if (text.starts_with("ln(") && text.ends_with(")")) {
    factor.log = true;
    text = text.substr(3, text.size() - 4);
  }
  const bool name = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  if (!name) return fail(ErrorCode::usage, fmt::format("'{}' is not a column", one_line(text, 40)));
  factor.column = text;
  return factor;
}

}  // namespace

std::string_view name_of(Way way) { return text_of_way(way).name; }
std::string_view description_of(Way way) { return text_of_way(way).description; }

Result<Way> parse_way(std::string_view text) {
  std::vector<std::string> names;
  for (const WayText& way : kWays) {
    if (way.name == text) return way.way;
    names.emplace_back(way.name);
  }
  return fail(ErrorCode::usage, fmt::format("unknown way '{}'{}", one_line(text, 40), one_of(text, names)));
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const WayText& way : kWays) ways.push_back(way.way);
  return ways;
}

Result<regression::EquationOptions> equation_options(Way way, const regression::FitProblem& training,
                                                     const WayOptions& options) {
  regression::EquationOptions equation;
  equation.name = name_of(way);
  equation.folds = options.folds;
  equation.seed = options.seed;
  equation.level = options.level;
  const auto set = [&]() -> Result<void> {
    switch (way) {
      case Way::affine:
        return set_affine(equation, training);
      case Way::alphabet:
        return set_alphabet(equation, training, options);
      case Way::physics:
        return set_physics(equation, training);
      case Way::analytic:
        return set_analytic(equation, training);
      case Way::scaled:
        return set_scaled(equation, training);
      case Way::trees:
        return set_trees(equation, training);
    }
    return {};
  };
  TRY(set());
  return equation;
}

Result<regression::Term> parse_term(std::string_view text) {
  regression::Term result;
  bool inverse = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("*/", begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (part != "1" || inverse) {
      auto factor = TRY(parse_factor(part, inverse));
      result.push_back(std::move(factor));
    }
    if (end == text.size()) break;
    inverse = text[end] == '/';
    begin = end + 1;
  }
  return result;
}

}  // namespace rooftile
