// The cells with which every row of a table names its layer and what its simulation was made with.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/evaluation/evaluation.hpp"

namespace rooftile {

// gpu, batch, number (from 1), network, layer.
std::vector<std::string> layer_columns();
std::vector<std::string> layer_cells(const EvaluationInput& input, const Gpu& gpu, std::size_t layer);

// replacement, start, replayed_share, worst_standard_error.
std::vector<std::string> simulation_columns();
std::vector<std::string> simulation_cells(const SimulateOptions& options, const Simulation& simulation);

// `cells` with `more` behind them.
std::vector<std::string> joined(std::vector<std::string> cells, const std::vector<std::string>& more);

// How the simulations of these layers were made, over all GPUs.
std::string note_on(const EvaluationInput& input, const Simulations& simulations,
                    const std::vector<EvaluatedLayer>& layers);

}  // namespace rooftile
