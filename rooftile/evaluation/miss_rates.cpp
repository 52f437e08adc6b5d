// Fig 4: miss rates of the L1 and L2 over the layers of GoogLeNet.
#include <algorithm>

#include <fmt/format.h>

#include "rooftile/evaluation/layer_axis.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"
#include "rooftile/evaluation/simulated_rows.hpp"

namespace rooftile {
namespace {

struct MissRates {
  double simulated = 0, delta = 0, refined = 0;
};

MissRates l1_rates(const Simulation& simulation, const Traffic& delta, const Traffic& refined) {
  return {simulation.bytes.l2 / simulation.bytes.l1, delta.l2 / delta.l1, refined.l2 / refined.l1};
}

MissRates l2_rates(const Simulation& simulation, const Traffic& delta, const Traffic& refined) {
  return {simulation.bytes.dram / simulation.bytes.l2, delta.dram / delta.l2, refined.dram / refined.l2};
}

// Places of GoogLeNet's layers among all.
std::vector<std::size_t> googlenet_layers(const EvaluationInput& input) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < input.layers.size(); ++i) {
    if (input.layers[i].network == "googlenet") places.push_back(i);
  }
  return places;
}

Plot empty_plot(const char* level, const Gpu& gpu, const std::string& caption,
                const std::vector<EvaluatedLayer>& layers) {
  Plot plot = plot_over(layers);
  plot.x.groups.clear();  // of one network
  plot.file = fmt::format("fig4-{}-{}", level, file_part(gpu.id));
  plot.what = fmt::format("Fig 4: miss rate of the {} for GoogLeNet's layers on {}",
                          level == std::string("l1") ? "L1" : "L2", gpu.id);
  plot.caption = fmt::format("{} Published, measured on TITAN Xp: {}.", caption,
                             level == std::string("l1") ? "13 to 50 %" : "8 to 90 %");
  plot.x.title = "Unique convolutions of GoogLeNet, in order";
  plot.y = {.title = "Miss rate", .unit = PlotAxis::Unit::percent, .range = std::pair(0.0, 1.05)};
  plot.series = {{.name = "simulated", .line = true}, {.name = "DeLTA", .colour = 1}, {.name = "refined", .colour = 2}};
  return plot;
}

void add(Plot& plot, double x, const MissRates& rates) {
  plot.series[0].points.emplace_back(x, rates.simulated);
  plot.series[1].points.emplace_back(x, rates.delta);
  plot.series[2].points.emplace_back(x, rates.refined);
}

void append(std::vector<std::string>& row, const MissRates& rates) {
  for (const double rate : {rates.simulated, rates.delta, rates.refined}) row.push_back(cell(rate));
}

}  // namespace

void want_googlenet(const EvaluationInput& input, Simulations& simulations) {
  for (const Gpu& gpu : input.gpus) {
    for (const std::size_t place : googlenet_layers(input)) simulations.want(gpu, input.layers[place].conv);
  }
}

Figure make_miss_rates(const EvaluationInput& input, const Simulations& simulations) {
  FigureTable table;
  table.file = "fig4";
  table.what = "miss rates of GoogLeNet's unique convolutions at the L1 (of the sectors asked for) and the L2";
  table.columns = joined(
      joined(layer_columns(), {"l1_simulated", "l1_delta", "l1_refined", "l2_simulated", "l2_delta", "l2_refined"}),
      simulation_columns());
  const std::vector<std::size_t> places = googlenet_layers(input);
  std::vector<EvaluatedLayer> layers;
  for (const std::size_t place : places) layers.push_back(input.layers[place]);
  const std::string caption = note_on(input, simulations, layers);
  Figure figure;
  for (const Gpu& gpu : input.gpus) {
    Plot l1 = empty_plot("l1", gpu, caption, layers);
    Plot l2 = empty_plot("l2", gpu, caption, layers);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Conv& conv = layers[i].conv;
      const Simulation& simulation = simulations.of(gpu, conv);
      const Traffic delta = traffic_by(TrafficForm::delta, conv, gpu),
                    refined = traffic_by(TrafficForm::refined, conv, gpu);
      const MissRates l1_rate = l1_rates(simulation, delta, refined), l2_rate = l2_rates(simulation, delta, refined);
      add(l1, static_cast<double>(i + 1), l1_rate);
      add(l2, static_cast<double>(i + 1), l2_rate);
      std::vector<std::string> row = layer_cells(input, gpu, places[i]);
      append(row, l1_rate);
      append(row, l2_rate);
      table.rows.push_back(joined(row, simulation_cells(simulations.options(), simulation)));
    }
    figure.plots.push_back(std::move(l1));
    figure.plots.push_back(std::move(l2));
  }
  figure.tables.push_back(std::move(table));
  return figure;
}

}  // namespace rooftile
