// Ways to model the time of a whole run: which terms, and how they are fitted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/regression/fit_equation.hpp"

namespace rooftile {

enum class Way {
  affine,    // in batch and iterations, as Gianniti, Zhang and Ardagna (2018) have it
  alphabet,  // products of columns and inverses, selected, by ridge: Lattuada et al. (Cluster Computing 2022)
  physics,   // a floor, arithmetic at peak, bytes at full bandwidth and communication, none of them negative
  analytic,  // in proportion to the analytic prediction
  scaled,    // the analytic prediction times a product of powers of the work
  trees,     // the analytic prediction, where there is one, times gradient-boosted trees
};
std::string_view name_of(Way way);
std::string_view description_of(Way way);
Result<Way> parse_way(std::string_view text);
std::vector<Way> all_ways();

struct WayOptions {
  std::size_t degree = 2;      // most columns in a product of the alphabet
  std::size_t most_terms = 6;  // that selection keeps
  std::size_t folds = 5;
  std::uint64_t seed = 1;
  double level = 0.9;
};

// What the way fits to these rows, whose columns decide which terms there are. Error: the rows lack what it is made of.
Result<regression::EquationOptions> equation_options(Way way, const regression::FitProblem& training,
                                                     const WayOptions& options);

// "batch*iterations/gpus", "1/batch", "ln(flops)", "batch^0.5", "1": as regression::text_of() prints a term.
Result<regression::Term> parse_term(std::string_view text);

}  // namespace rooftile
