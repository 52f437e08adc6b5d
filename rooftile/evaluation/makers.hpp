// The makers behind figure_makers(), one file a family.
#pragma once

#include "rooftile/evaluation/evaluation.hpp"

namespace rooftile {

// miss_rates.cpp: Fig 4
void want_googlenet(const EvaluationInput& input, Simulations& simulations);
Figure make_miss_rates(const EvaluationInput& input, const Simulations& simulations);

// traffic_figures.cpp: Figs 11 and 20
void want_unique_layers(const EvaluationInput& input, Simulations& simulations);
Figure make_traffic_ratios(const EvaluationInput& input, const Simulations& simulations);
Figure make_traffic(const EvaluationInput& input, const Simulations& simulations);

// prior_figures.cpp: Figs 12 and 15
Figure make_prior_traffic(const EvaluationInput& input, const Simulations& simulations);
Figure make_spread(const EvaluationInput& input, const Simulations& simulations);

// time_figures.cpp: Figs 13, 14 and 19
Figure make_times(const EvaluationInput& input, const Simulations& simulations);

// sensitivity.cpp: Fig 17
void want_sensitivity(const EvaluationInput& input, Simulations& simulations);
Figure make_sensitivity(const EvaluationInput& input, const Simulations& simulations);

// inputs.cpp: Table I
Figure make_inputs(const EvaluationInput& input, const Simulations& simulations);

// scaling.cpp: Table 16a and Fig 16b
Figure make_scaling(const EvaluationInput& input, const Simulations& simulations);

}  // namespace rooftile
