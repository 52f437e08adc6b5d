// The evaluation of the DeLTA paper (Lym et al., ISPASS 2019): which tables and figures there are, and their making.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/evaluation/figure.hpp"
#include "rooftile/evaluation/layers.hpp"
#include "rooftile/evaluation/simulations.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

struct EvaluationInput {
  std::vector<Gpu> gpus;  // at least one, ids all different
  std::int64_t batch = 256;
  std::vector<EvaluatedLayer> layers;  // unique_convolutions(batch)
};

// Checks what the figures need: sizes that the layers can have, methods that the GPUs can be asked for.
Result<EvaluationInput> evaluation_input(std::vector<Gpu> gpus, std::int64_t batch);

struct FigureMaker {
  std::string_view name;     // as the paper numbers it: "fig11"
  std::string_view aliases;  // other numbers for the same, with commas
  std::string_view title;
  void (*want)(const EvaluationInput&, Simulations&);  // asks for what `make` looks up; null: nothing
  Figure (*make)(const EvaluationInput&, const Simulations&);
};

// In the order in which they are quick: what needs no simulation first.
std::span<const FigureMaker> figure_makers();

// The makers of these names or aliases, each once, in their own order; all for no names. Errors: a name that none has.
Result<std::vector<const FigureMaker*>> choose_figures(const std::vector<std::string>& names);

}  // namespace rooftile
