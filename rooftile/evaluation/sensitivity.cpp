// Fig 17: how the traffic of one artificial layer follows its filters, channels, feature size and batch.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rooftile/evaluation/layer_axis.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"
#include "rooftile/evaluation/simulated_rows.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

// One parameter of the layer and the values it takes.
struct Sweep {
  std::string name, title;
  std::vector<std::int64_t> values;
};

std::vector<Sweep> sweeps(std::int64_t batch) {
  Sweep batches = {"batch", "Samples per batch", {}};
  std::set<std::int64_t> sizes;
  constexpr std::int64_t kLargestPart = 16;  // the paper: 16 to 512, around 256
  for (std::int64_t part = kLargestPart; part > 0; part /= 2) sizes.insert(std::max<std::int64_t>(1, batch / part));
  sizes.insert(2 * batch);
  batches.values.assign(sizes.begin(), sizes.end());
  return {{"filters", "Filters", {32, 64, 96, 128, 160, 192, 256, 320, 384, 512}},
          {"channels", "Input channels", {16, 32, 64, 96, 128, 192, 256, 384, 512}},
          {"feature", "Height and width of the input", {7, 10, 13, 16, 20, 24, 28, 40, 56}},
          batches};
}

Conv layer_of(const Sweep& sweep, std::int64_t value, std::int64_t batch) {
  Conv conv = artificial_convolution(batch);
  if (sweep.name == "filters") conv.out_channels = value;
  if (sweep.name == "channels") conv.in_channels = value;
  if (sweep.name == "feature") conv.axes[1].in = conv.axes[2].in = value;
  if (sweep.name == "batch") conv.batch = value;
  return conv;
}

// What one plot needs of a level: lines for what was simulated, points for the methods, in one colour.
struct LevelSeries {
  PlotSeries simulated, delta, refined;

  explicit LevelSeries(const ComparedLevel& level)
      : simulated{.name = fmt::format("{}, simulated", level.title), .line = true, .limit = std::string(level.name)},
        delta{.name = fmt::format("{}, DeLTA", level.title), .limit = std::string(level.name)},
        refined{.name = fmt::format("{}, refined", level.title),
                .line = true,
                .limit = std::string(level.name),
                .dashed = true} {}
};

constexpr std::array kLevels = {kComparedLevels[0], kComparedLevels[2], kComparedLevels[3]};

class SweepFigure {
 public:
  SweepFigure(const EvaluationInput& input, const Simulations& simulations, const Gpu& gpu, const Sweep& sweep)
      : input_(input), simulations_(simulations), gpu_(gpu), sweep_(sweep) {
    for (const ComparedLevel& level : kLevels) series_.emplace_back(level);
  }

  void add_rows(FigureTable& table) {
    for (const std::int64_t value : sweep_.values) {
      const Conv conv = layer_of(sweep_, value, input_.batch);
      const Simulation& simulation = simulations_.of(gpu_, conv);
      note_.add(simulation);
      const Traffic delta = traffic_by(TrafficForm::delta, conv, gpu_),
                    refined = traffic_by(TrafficForm::refined, conv, gpu_);
      for (const ComparedLevel& level : kLevels) {
        const std::array<double, 3> bytes = {simulation.bytes.*level.simulated, (delta.*level.closed).value(),
                                             (refined.*level.closed).value()};
        table.rows.push_back(
            joined(row_of(value, conv, level, bytes), simulation_cells(simulations_.options(), simulation)));
        scored_[level.name].push_back({.measured = bytes[0], .predicted = bytes[1]});
        refined_scored_[level.name].push_back({.measured = bytes[0], .predicted = bytes[2]});
      }
      add_points(static_cast<double>(value), simulation, delta, refined);
    }
  }

  void add_scores(FigureTable& table) const {
    for (const ComparedLevel& level : kLevels) {
      const Score delta = score(scored_.at(level.name)), refined = score(refined_scored_.at(level.name));
      table.rows.push_back({gpu_.id, fmt::format("{}", input_.batch), sweep_.name, std::string(level.name),
                            cell(delta.gmae), cell(delta.ratio), cell(refined.gmae), cell(refined.ratio)});
    }
  }

  Plot plot() const {
    Plot result;
    result.file = fmt::format("fig17-{}-{}", sweep_.name, file_part(gpu_.id));
    result.what = fmt::format("Fig 17: loads by {}, artificial layer on {}", sweep_.name, gpu_.id);
    result.caption = fmt::format("256 channels of 13x13 to 128, 3x3, but for what is swept. {} {}",
                                 batch_note(input_.batch), note_.text());
    result.x = {.title = sweep_.title, .logarithmic = true};
    result.y = {.title = "Bytes", .logarithmic = true, .unit = PlotAxis::Unit::bytes};
    constexpr double kWidth = 600;
    result.width = kWidth;
    for (const LevelSeries& level : series_) {
      for (const PlotSeries* series : {&level.simulated, &level.delta, &level.refined}) {
        result.series.push_back(*series);
      }
    }
    return result;
  }

 private:
  std::vector<std::string> row_of(std::int64_t value, const Conv& conv, const ComparedLevel& level,
                                  const std::array<double, 3>& bytes) const {
    return {gpu_.id,
            fmt::format("{}", conv.batch),
            sweep_.name,
            fmt::format("{}", value),
            std::string(level.name),
            whole_cell(bytes[0]),
            whole_cell(bytes[1]),
            whole_cell(bytes[2]),
            cell(bytes[1] / bytes[0]),
            cell(bytes[2] / bytes[0])};
  }

  void add_points(double x, const Simulation& simulation, const Traffic& delta, const Traffic& refined) {
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      series_[i].simulated.points.emplace_back(x, simulation.bytes.*kLevels[i].simulated);
      series_[i].delta.points.emplace_back(x, (delta.*kLevels[i].closed).value());
      series_[i].refined.points.emplace_back(x, (refined.*kLevels[i].closed).value());
    }
  }

  const EvaluationInput& input_;
  const Simulations& simulations_;
  const Gpu& gpu_;
  const Sweep& sweep_;
  std::vector<LevelSeries> series_;
  std::map<std::string_view, std::vector<Compared>> scored_, refined_scored_;
  SimulationNote note_{simulations_.options()};
};

}  // namespace

void want_sensitivity(const EvaluationInput& input, Simulations& simulations) {
  for (const Gpu& gpu : input.gpus) {
    for (const Sweep& sweep : sweeps(input.batch)) {
      for (const std::int64_t value : sweep.values) simulations.want(gpu, layer_of(sweep, value, input.batch));
    }
  }
}

Figure make_sensitivity(const EvaluationInput& input, const Simulations& simulations) {
  FigureTable table;
  table.file = "fig17";
  table.what = "bytes of the artificial layer at each level as one of its numbers changes: simulated, DeLTA, refined";
  table.columns = joined({"gpu", "batch", "parameter", "value", "level", "simulated_bytes", "delta_bytes",
                          "refined_bytes", "delta_over_simulated", "refined_over_simulated"},
                         simulation_columns());
  FigureTable scores;
  scores.file = "fig17-scores";
  scores.what = "GMAE and geometric mean of closed form over simulated, by swept number and level";
  scores.columns = {"gpu", "batch", "parameter", "level", "delta_gmae", "delta_mean", "refined_gmae", "refined_mean"};
  Figure figure;
  const std::vector<Sweep> all = sweeps(input.batch);
  for (const Gpu& gpu : input.gpus) {
    for (const Sweep& sweep : all) {
      SweepFigure swept(input, simulations, gpu, sweep);
      swept.add_rows(table);
      swept.add_scores(scores);
      figure.plots.push_back(swept.plot());
    }
  }
  figure.tables = {std::move(scores), std::move(table)};
  return figure;
}

}  // namespace rooftile
