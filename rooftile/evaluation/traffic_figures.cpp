// Figs 11 and 20: traffic of the unique convolutions at each level, simulated and in closed form.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "rooftile/evaluation/layer_axis.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"
#include "rooftile/evaluation/published.hpp"
#include "rooftile/evaluation/simulated_rows.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

constexpr std::array kForms = {TrafficForm::delta, TrafficForm::refined};

// Whole requests are what DeLTA's Eq 3 counts; the refined form counts sectors.
bool speaks_of(TrafficForm form, const ComparedLevel& level) {
  return form == TrafficForm::delta || level.simulated != &LevelBytes::l1_lines;
}

// One level of one layer on one GPU; bytes, NaN where a closed form does not speak of the level.
struct TrafficPoint {
  double simulated = 0;
  std::array<double, kForms.size()> closed{};
};

// Of all layers, for one GPU and level.
std::vector<TrafficPoint> points_of(const EvaluationInput& input, const Simulations& simulations, const Gpu& gpu,
                                    const ComparedLevel& level) {
  std::vector<TrafficPoint> points;
  for (const EvaluatedLayer& layer : input.layers) {
    TrafficPoint point;
    point.simulated = simulations.of(gpu, layer.conv).bytes.*level.simulated;
    for (std::size_t i = 0; i < kForms.size(); ++i) {
      point.closed[i] = speaks_of(kForms[i], level) ? (traffic_by(kForms[i], layer.conv, gpu).*level.closed).value()
                                                    : std::numeric_limits<double>::quiet_NaN();
    }
    points.push_back(point);
  }
  return points;
}

void add_rows(FigureTable& table, const EvaluationInput& input, const Simulations& simulations, const Gpu& gpu,
              const ComparedLevel& level) {
  const auto points = points_of(input, simulations, gpu, level);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TrafficPoint& point = points[i];
    std::vector<std::string> row = joined(layer_cells(input, gpu, i), {std::string(level.name)});
    row.push_back(whole_cell(point.simulated));
    for (const double closed : point.closed) row.push_back(whole_cell(closed));
    for (const double closed : point.closed) row.push_back(cell(closed / point.simulated));
    table.rows.push_back(
        joined(row, simulation_cells(simulations.options(), simulations.of(gpu, input.layers[i].conv))));
  }
}

FigureTable rows_table(const EvaluationInput& input, const Simulations& simulations) {
  FigureTable table;
  table.file = "fig11";
  table.what = "bytes of each unique convolution at each level: simulated, DeLTA, refined";
  table.columns = joined(joined(layer_columns(), {"level", "simulated_bytes", "delta_bytes", "refined_bytes",
                                                  "delta_over_simulated", "refined_over_simulated"}),
                         simulation_columns());
  for (const Gpu& gpu : input.gpus) {
    for (const ComparedLevel& level : kComparedLevels) add_rows(table, input, simulations, gpu, level);
  }
  return table;
}

// Standard deviation of the ratios, as the paper gives it beside the GMAE.
double deviation(const std::vector<Compared>& rows) {
  double sum = 0, squares = 0;
  for (const Compared& row : rows) sum += row.predicted / row.measured;
  const double mean = sum / static_cast<double>(rows.size());
  for (const Compared& row : rows) squares += std::pow(row.predicted / row.measured - mean, 2);
  return std::sqrt(squares / static_cast<double>(rows.size()));
}

std::vector<std::string> score_row(const EvaluationInput& input, const std::vector<TrafficPoint>& points,
                                   std::size_t form) {
  std::vector<Compared> rows;
  std::size_t worst = 0;
  const auto error = [&](std::size_t i) { return std::abs(std::log(points[i].closed[form] / points[i].simulated)); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    rows.push_back({.measured = points[i].simulated, .predicted = points[i].closed[form]});
    if (error(i) > error(worst)) worst = i;
  }
  const Score summed = score(rows);
  return {std::string(name_of(kForms[form])),
          fmt::format("{}", summed.rows),
          cell(summed.gmae),
          cell(deviation(rows)),
          cell(summed.ratio),
          cell(rows[worst].predicted / rows[worst].measured),
          input.layers[worst].network + "/" + input.layers[worst].name};
}

// What the paper prints of DeLTA against its counters, whose L1 counts whole requests or sectors: it does not say.
std::vector<std::string> published_cells(const Gpu& gpu, const ComparedLevel& level, TrafficForm form) {
  if (form != TrafficForm::delta) return {"", ""};
  const PublishedError error = published_traffic(gpu.id, level.name);
  const auto text = [](const std::optional<double>& value) { return value ? cell(*value) : ""; };
  return {text(error.gmae), text(error.deviation)};
}

// "titan-xp-delta: GMAE 48 %, std 54 % (published GMAE 4.2 %, std 7.2 %)".
std::string legend_of(const Gpu& gpu, const ComparedLevel& level, TrafficForm form,
                      const std::vector<TrafficPoint>& points, std::size_t place) {
  std::vector<Compared> rows;
  for (const TrafficPoint& point : points) {
    rows.push_back({.measured = point.simulated, .predicted = point.closed[place]});
  }
  std::string text = fmt::format("{}: {}", gpu.id, text_of({score(rows).gmae, deviation(rows)}));
  const std::string published =
      form == TrafficForm::delta ? text_of(published_traffic(gpu.id, level.name)) : std::string();
  return published.empty() ? text : fmt::format("{} (published: {})", text, published);
}

FigureTable scores_table(const EvaluationInput& input, const Simulations& simulations) {
  FigureTable table;
  table.file = "fig11-scores";
  table.what =
      "GMAE, standard deviation and geometric mean of each closed form over simulated, by GPU, level and closed form";
  table.columns = {"gpu",         "batch",       "replacement",    "start",        "level",
                   "form",        "layers",      "gmae",           "std_of_ratio", "mean_ratio",
                   "worst_ratio", "worst_layer", "published_gmae", "published_std"};
  for (const Gpu& gpu : input.gpus) {
    for (const ComparedLevel& level : kComparedLevels) {
      const auto points = points_of(input, simulations, gpu, level);
      const SimulateOptions& options = simulations.options();
      for (std::size_t form = 0; form < kForms.size(); ++form) {
        if (!speaks_of(kForms[form], level)) continue;
        table.rows.push_back(joined({gpu.id, fmt::format("{}", input.batch), std::string(name_of(options.policy)),
                                     std::string(name_of(options.start)), std::string(level.name)},
                                    joined(score_row(input, points, form), published_cells(gpu, level, kForms[form]))));
      }
    }
  }
  return table;
}

Plot ratio_plot(const EvaluationInput& input, const Simulations& simulations, const ComparedLevel& level,
                std::size_t form, const std::string& caption) {
  Plot plot = plot_over(input.layers);
  plot.file = fmt::format("fig11-{}-{}", level.name, name_of(kForms[form]));
  plot.what = fmt::format("Fig 11: loads at {}, {} over simulated", level.title, title_of(kForms[form]));
  plot.caption = caption + " Published figures are DeLTA's against counters, at batch 256.";
  if (kForms[form] != TrafficForm::delta) plot.caption = caption;
  plot.y = {.title = fmt::format("{} / simulated", title_of(kForms[form])), .logarithmic = true};
  plot.level = 1;
  for (std::size_t i = 0; i < input.gpus.size(); ++i) {
    const auto points = points_of(input, simulations, input.gpus[i], level);
    PlotSeries series = {.name = legend_of(input.gpus[i], level, kForms[form], points, form), .colour = i};
    for (std::size_t layer = 0; layer < points.size(); ++layer) {
      series.points.emplace_back(static_cast<double>(layer + 1), points[layer].closed[form] / points[layer].simulated);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// Series of bytes: what was simulated first, then the closed forms.
void add_bytes(Plot& plot, const std::vector<TrafficPoint>& points, const std::string& simulated, std::size_t colour) {
  PlotSeries series = {.name = simulated, .line = true, .colour = colour, .dashed = colour != 0};
  for (std::size_t i = 0; i < points.size(); ++i) {
    series.points.emplace_back(static_cast<double>(i + 1), points[i].simulated);
  }
  plot.series.push_back(std::move(series));
}

void add_forms(Plot& plot, const std::vector<TrafficPoint>& points) {
  for (std::size_t form = 0; form < kForms.size(); ++form) {
    PlotSeries series = {.name = std::string(title_of(kForms[form])), .colour = form + 1};
    for (std::size_t i = 0; i < points.size(); ++i) {
      series.points.emplace_back(static_cast<double>(i + 1), points[i].closed[form]);
    }
    plot.series.push_back(std::move(series));
  }
}

}  // namespace

void want_unique_layers(const EvaluationInput& input, Simulations& simulations) {
  for (const Gpu& gpu : input.gpus) {
    for (const EvaluatedLayer& layer : input.layers) simulations.want(gpu, layer.conv);
  }
}

Figure make_traffic_ratios(const EvaluationInput& input, const Simulations& simulations) {
  Figure figure;
  figure.tables = {scores_table(input, simulations), rows_table(input, simulations)};
  const std::string caption = note_on(input, simulations, input.layers);
  for (const ComparedLevel& level : kComparedLevels) {
    for (std::size_t form = 0; form < kForms.size(); ++form) {
      if (!speaks_of(kForms[form], level)) continue;
      figure.plots.push_back(ratio_plot(input, simulations, level, form, caption));
    }
  }
  return figure;
}

Figure make_traffic(const EvaluationInput& input, const Simulations& simulations) {
  Figure figure;
  const std::string caption = note_on(input, simulations, input.layers);
  for (const Gpu& gpu : input.gpus) {
    for (const ComparedLevel& level : kComparedLevels) {
      const auto points = points_of(input, simulations, gpu, level);
      const bool whole_requests = level.simulated == &LevelBytes::l1_lines;
      if (whole_requests) {  // beside the sectors, in the same plot
        constexpr std::size_t kAfterForms = kForms.size() + 1;
        add_bytes(figure.plots.back(), points, "simulated, whole requests", kAfterForms);
        continue;
      }
      Plot plot = plot_over(input.layers);
      plot.file = fmt::format("fig20-{}-{}", level.name, file_part(gpu.id));
      plot.what = fmt::format("Fig 20: loads at {} on {}", level.title, gpu.id);
      plot.caption = caption;
      if (const std::string error = text_of(published_traffic(gpu.id, level.name)); !error.empty()) {
        plot.caption +=
            fmt::format(" Published of DeLTA against counters: {}; the paper prints no bytes of single layers.", error);
      }
      plot.y = {.title = "Bytes", .logarithmic = true, .unit = PlotAxis::Unit::bytes};
      add_bytes(plot, points, "simulated", 0);
      add_forms(plot, points);
      figure.plots.push_back(std::move(plot));
    }
  }
  return figure;
}

}  // namespace rooftile
