// Figs 12 and 15: the models that DeLTA compares itself with, which fix miss rates.
#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "rooftile/base/quantile.hpp"
#include "rooftile/evaluation/layer_axis.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"
#include "rooftile/evaluation/simulated_rows.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

// The paper's rates are lost; these span them.
constexpr std::array kMissRates = {0.1, 0.3, 0.5, 0.7, 1.0};

// The share of the layers at or below each ratio, as a line.
std::vector<std::pair<double, double>> cumulative(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    points.emplace_back(ratios[i], static_cast<double>(i + 1) / static_cast<double>(ratios.size()));
  }
  return points;
}

std::vector<double> times_of(const EvaluationInput& input, const Gpu& gpu, const PredictOptions& options) {
  std::vector<double> times;
  for (const EvaluatedLayer& layer : input.layers) times.push_back(estimate(layer.conv, gpu, options).time.value());
  return times;
}

std::vector<double> over(std::vector<double> numerators, const std::vector<double>& denominators) {
  for (std::size_t i = 0; i < numerators.size(); ++i) numerators[i] /= denominators[i];
  return numerators;
}

std::vector<std::string> spread_row(const EvaluationInput& input, const Gpu& gpu, const std::string& what,
                                    const std::vector<double>& ratios) {
  std::vector<std::string> row = {gpu.id, fmt::format("{}", input.batch), what};
  const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
  row.push_back(cell(mean));
  constexpr std::array kShares = {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0};
  for (const double share : kShares) row.push_back(cell(quantile(ratios, share)));
  return row;
}

Plot spread_plot(const std::string& file, const std::string& what, const std::string& x, std::int64_t batch) {
  Plot plot;
  plot.file = file;
  plot.what = what;
  plot.caption = batch_note(batch) + " Nothing is measured or simulated here.";
  plot.x = {.title = x, .logarithmic = true};
  plot.y = {.title = "Layers at or below", .unit = PlotAxis::Unit::percent, .range = std::pair(0.0, 1.0)};
  constexpr double kWidth = 560;
  plot.width = kWidth;
  return plot;
}

std::vector<std::string> prior_row(const EvaluationInput& input, const Simulations& simulations, const Gpu& gpu,
                                   std::size_t place, const ComparedLevel& level, double& over_simulated) {
  const Conv& conv = input.layers[place].conv;
  const double prior = (estimate(conv, gpu, prior_of(1)).traffic.*level.closed).value();
  const double delta = (traffic_by(TrafficForm::delta, conv, gpu).*level.closed).value();
  const Simulation& simulation = simulations.of(gpu, conv);
  const double simulated = simulation.bytes.*level.simulated;
  over_simulated = prior / simulated;
  const std::vector<std::string> row =
      joined(layer_cells(input, gpu, place), {std::string(level.name), whole_cell(prior), whole_cell(delta),
                                              whole_cell(simulated), cell(prior / delta), cell(over_simulated)});
  return joined(row, simulation_cells(simulations.options(), simulation));
}

}  // namespace

Figure make_prior_traffic(const EvaluationInput& input, const Simulations& simulations) {
  FigureTable table;
  table.file = "fig12";
  table.what = "loads of prior models (every cache misses) at the L2 and DRAM, over DeLTA's and over simulated ones";
  table.columns = joined(joined(layer_columns(), {"level", "prior_bytes", "delta_bytes", "simulated_bytes",
                                                  "prior_over_delta", "prior_over_simulated"}),
                         simulation_columns());
  Figure figure;
  const std::string caption = note_on(input, simulations, input.layers);
  for (const ComparedLevel& level : kComparedLevels) {
    if (level.closed == &Traffic::l1) continue;
    Plot plot = plot_over(input.layers);
    plot.file = fmt::format("fig12-{}", level.name);
    plot.what = fmt::format("Fig 12: loads at {} if every cache misses, over simulated", level.title);
    plot.caption = caption;
    plot.y = {.title = "Prior model / simulated", .logarithmic = true};
    plot.level = 1;
    for (std::size_t i = 0; i < input.gpus.size(); ++i) {
      PlotSeries series = {.name = input.gpus[i].id, .colour = i};
      for (std::size_t place = 0; place < input.layers.size(); ++place) {
        double ratio = 0;
        table.rows.push_back(prior_row(input, simulations, input.gpus[i], place, level, ratio));
        series.points.emplace_back(static_cast<double>(place + 1), ratio);
      }
      plot.series.push_back(std::move(series));
    }
    figure.plots.push_back(std::move(plot));
  }
  figure.tables.push_back(std::move(table));
  return figure;
}

Figure make_spread(const EvaluationInput& input, const Simulations& /*simulations*/) {
  FigureTable table;
  table.file = "fig15";
  table.what = "spread of DeLTA's time over rooftile's, and of times with fixed miss rates over DeLTA's, by GPU";
  table.columns = {"gpu", "batch", "ratio", "mean", "least", "p10", "p25", "median", "p75", "p90", "most"};
  Figure figure;
  Plot gpus =
      spread_plot("fig15-gpus", "Fig 15: DeLTA's time over rooftile's, by GPU", "DeLTA / rooftile", input.batch);
  for (std::size_t i = 0; i < input.gpus.size(); ++i) {
    const Gpu& gpu = input.gpus[i];
    const std::vector<double> delta = times_of(input, gpu, evaluated(Method::delta));
    const std::vector<double> methods = over(delta, times_of(input, gpu, evaluated(Method::rooftile)));
    table.rows.push_back(spread_row(input, gpu, "delta/rooftile", methods));
    gpus.series.push_back({.name = gpu.id, .points = cumulative(methods), .line = true, .colour = i});
    Plot rates = spread_plot("fig15-rates-" + file_part(gpu.id),
                             fmt::format("Fig 15: time with fixed miss rates over DeLTA's, {}", gpu.id),
                             "Fixed miss rate / DeLTA", input.batch);
    for (std::size_t rate = 0; rate < kMissRates.size(); ++rate) {
      const std::vector<double> ratios = over(times_of(input, gpu, prior_of(kMissRates[rate])), delta);
      table.rows.push_back(spread_row(input, gpu, fmt::format("prior={}/delta", kMissRates[rate]), ratios));
      rates.series.push_back({.name = fmt::format("miss rate {}", kMissRates[rate]),
                              .points = cumulative(ratios),
                              .line = true,
                              .colour = rate});
    }
    figure.plots.push_back(std::move(rates));
  }
  figure.plots.insert(figure.plots.begin(), std::move(gpus));
  figure.tables.push_back(std::move(table));
  return figure;
}

}  // namespace rooftile
