// Figs 13, 14 and 19: predicted time of each layer and what limits it, on each GPU.
#include <array>

#include <fmt/format.h>

#include "rooftile/evaluation/layer_axis.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"
#include "rooftile/evaluation/published.hpp"
#include "rooftile/evaluation/simulated_rows.hpp"

namespace rooftile {
namespace {

constexpr std::array kMethods = {Method::delta, Method::rooftile};

// What the paper says of the same layers.
std::string published_note(const Gpu& gpu) {
  const std::string error = text_of(published_time(gpu.id));
  if (error.empty()) return "";
  return fmt::format(
      " Published at batch 256: {:.0f} % of layers limited by arithmetic, on TITAN Xp AlexNet's conv1 by the L1, many "
      "of "
      "GoogLeNet's by DRAM bandwidth or latency; time against measured time: {}.",
      100 * kPublishedComputeShare, error);
}

Plot empty_plot(const EvaluationInput& input, const Gpu& gpu, Method method) {
  Plot plot = plot_over(input.layers);
  plot.file = fmt::format("fig13-{}-{}", name_of(method), file_part(gpu.id));
  plot.what = fmt::format("Figs 13, 14, 19: time by method {} and what limits it, {}", name_of(method), gpu.id);
  plot.caption = batch_note(input.batch) + (method == Method::rooftile ? " Implicit GEMM, tile chosen." : "");
  if (method == Method::delta) plot.caption += published_note(gpu);
  plot.y = {.title = "Time", .logarithmic = true, .unit = PlotAxis::Unit::seconds};
  return plot;
}

// A series for each bottleneck that occurs.
void add_series(Plot& plot, const std::vector<LayerEstimate>& estimates) {
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    const auto bottleneck = static_cast<Bottleneck>(i);
    PlotSeries series = {.limit = std::string(name_of(bottleneck))};
    for (std::size_t layer = 0; layer < estimates.size(); ++layer) {
      if (estimates[layer].bottleneck != bottleneck) continue;
      series.points.emplace_back(static_cast<double>(layer + 1), estimates[layer].time.value());
    }
    if (series.points.empty()) continue;
    series.name = fmt::format("{}: {} of {}", name_of(bottleneck), series.points.size(), estimates.size());
    plot.series.push_back(std::move(series));
  }
}

void add_summary(FigureTable& table, const EvaluationInput& input, const Gpu& gpu, Method method,
                 const std::vector<LayerEstimate>& estimates) {
  std::array<std::size_t, kBottlenecks> layers{};
  Seconds time;
  for (const LayerEstimate& layer : estimates) {
    ++layers.at(static_cast<std::size_t>(layer.bottleneck));
    time += layer.time;
  }
  std::vector<std::string> row = {gpu.id, fmt::format("{}", input.batch), std::string(name_of(method)),
                                  fmt::format("{}", estimates.size()), cell(time.value())};
  for (const std::size_t count : layers) row.push_back(fmt::format("{}", count));
  const bool published = method == Method::delta && published_time(gpu.id).gmae.has_value();
  row.push_back(published ? cell(kPublishedComputeShare) : "");
  table.rows.push_back(std::move(row));
}

std::vector<std::string> summary_columns() {
  std::vector<std::string> columns = {"gpu", "batch", "method", "layers", "total_s"};
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    columns.push_back(fmt::format("limited_by_{}", name_of(static_cast<Bottleneck>(i))));
  }
  columns.emplace_back("published_compute_share");
  return columns;
}

}  // namespace

Figure make_times(const EvaluationInput& input, const Simulations& /*simulations*/) {
  FigureTable table = {.file = "fig13",
                       .what = "time of each unique convolution and what limits it, by GPU and method",
                       .columns = joined(layer_columns(), {"method", "time_s", "bottleneck"})};
  FigureTable summary = {.file = "fig13-summary",
                         .what = "total time and how many layers each thing limits, by GPU and method",
                         .columns = summary_columns()};
  Figure figure;
  for (const Gpu& gpu : input.gpus) {
    for (const Method method : kMethods) {
      std::vector<LayerEstimate> estimates;
      for (const EvaluatedLayer& layer : input.layers) {
        estimates.push_back(estimate(layer.conv, gpu, evaluated(method)));
        const LayerEstimate& last = estimates.back();
        table.rows.push_back(
            joined(layer_cells(input, gpu, estimates.size() - 1),
                   {std::string(name_of(method)), cell(last.time.value()), std::string(name_of(last.bottleneck))}));
      }
      add_summary(summary, input, gpu, method, estimates);
      Plot plot = empty_plot(input, gpu, method);
      add_series(plot, estimates);
      figure.plots.push_back(std::move(plot));
    }
  }
  figure.tables = {std::move(summary), std::move(table)};
  return figure;
}

}  // namespace rooftile
