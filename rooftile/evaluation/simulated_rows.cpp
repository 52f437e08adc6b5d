#include "rooftile/evaluation/simulated_rows.hpp"

#include <fmt/format.h>

#include "rooftile/evaluation/layer_axis.hpp"

namespace rooftile {

std::vector<std::string> layer_columns() { return {"gpu", "batch", "number", "network", "layer"}; }

std::vector<std::string> layer_cells(const EvaluationInput& input, const Gpu& gpu, std::size_t layer) {
  const EvaluatedLayer& each = input.layers[layer];
  return {gpu.id, fmt::format("{}", input.batch), fmt::format("{}", layer + 1), each.network, each.name};
}

std::vector<std::string> simulation_columns() {
  return {"replacement", "start", "replayed_share", "worst_standard_error"};
}

std::vector<std::string> simulation_cells(const SimulateOptions& options, const Simulation& simulation) {
  return {std::string(name_of(options.policy)), std::string(name_of(options.start)), cell(simulation.replayed_share),
          cell(worst_error(simulation))};
}

std::vector<std::string> joined(std::vector<std::string> cells, const std::vector<std::string>& more) {
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

std::string note_on(const EvaluationInput& input, const Simulations& simulations,
                    const std::vector<EvaluatedLayer>& layers) {
  SimulationNote note(simulations.options());
  for (const Gpu& gpu : input.gpus) {
    for (const EvaluatedLayer& layer : layers) note.add(simulations.of(gpu, layer.conv));
  }
  return batch_note(input.batch) + " " + note.text();
}

}  // namespace rooftile
