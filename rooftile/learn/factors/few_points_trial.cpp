#include "rooftile/learn/factors/few_points_trial.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "rooftile/base/quantile.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/learn/constants/held_out.hpp"
#include "rooftile/learn/factors/few_points_choice.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

// The rows of one GPU, by the place of their table.
struct GpuRows {
  std::map<std::size_t, std::vector<Point>> tables;
  std::vector<Point> all() const {
    std::vector<Point> points;
    for (const auto& [table, rows] : tables) points.insert(points.end(), rows.begin(), rows.end());
    return points;
  }
};

using RowsByGpu = std::map<std::string, GpuRows>;  // by GPU id

Result<RowsByGpu> rows_by_gpu(const std::vector<MeasuredTable>& tables, const FewPointsTrialOptions& options) {
  RowsByGpu rows;
  GpuCache gpus;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    for (const Point& point : points_of(tables[table], table, options.rows)) {
      const auto gpu = TRY(gpus.find(point.row->gpu));
      rows[gpu->id].tables[table].push_back(point);
    }
  }
  for (auto& [gpu, of_gpu] : rows) {
    for (auto& [table, points] : of_gpu.tables) {
      const std::size_t taken = std::min(options.most_rows, points.size());
      std::vector<Point> spread;
      for (std::size_t i = 0; i < taken; ++i) spread.push_back(points[i * points.size() / taken]);
      points = std::move(spread);
    }
  }
  return rows;
}

// Constants for each GPU, fitted on the others' rows.
Result<std::map<std::string, Calibration>> calibrations(const std::vector<MeasuredTable>& tables, const RowsByGpu& rows,
                                                        const FewPointsTrialOptions& options) {
  std::map<std::string, Calibration> result;
  if (!options.left_out) {
    for (const auto& [gpu, of_gpu] : rows) result[gpu] = builtin_calibration();
    return result;
  }
  std::set<const LayerRow*> taken;
  for (const auto& [gpu, of_gpu] : rows) {
    for (const Point& point : of_gpu.all()) taken.insert(point.row);
  }
  CalibrateOptions calibrate{.rows = options.rows, .evaluations = options.evaluations, .foreign_spreads = false};
  calibrate.rows.blind = false;
  calibrate.rows.keep = [&](std::size_t table, std::size_t row) {
    return taken.count(&tables[table].table().rows[row]) > 0;
  };
  if (options.progress) {
    calibrate.progress = [&](std::size_t done, std::size_t of) { options.progress("fits", done, of); };
  }
  auto held = TRY(hold_out(tables, Tier::none, calibrate));
  GpuCache gpus;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const std::vector<LayerRow>& all = tables[table].table().rows;
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (taken.count(&all[row]) == 0) continue;
      const std::string& gpu = (*gpus.find(all[row].gpu))->id;
      if (result.count(gpu) == 0) result[gpu] = held.calibrations[held.of_row[table][row].value()];
    }
  }
  return result;
}

// The place of kCaution.
std::size_t place_of_shipped() {
  const auto* place = std::find(kCautions.begin(), kCautions.end(), kCaution);
  return static_cast<std::size_t>(place - kCautions.begin());
}
static_assert(std::find(kCautions.begin(), kCautions.end(), kCaution) != kCautions.end());

Result<std::vector<double>> residuals(const std::vector<Point>& points, FactorModel& model, const GpuFactors& factors) {
  std::vector<double> result;
  for (const Point& point : points) {
    const auto time = TRY(model.time(*point.row, factors));
    result.push_back(std::log(point.measured / time));
  }
  return result;
}

// GMAE and interval of rows under what was fitted; `before` is what they are without it.
Result<FewPointsOutcome> outcome_of(const FewPoints& fitted, const std::vector<Point>& rows,
                                    const std::vector<KernelFamily>& families, const std::vector<double>& before,
                                    FactorModel& model) {
  std::vector<double> after = before;
  if (fitted.share > 0) {
    auto changed = TRY(residuals(rows, model, factors_of(fitted, model.gpu())));
    after = std::move(changed);
  }
  FewPointsOutcome outcome{.after = gmae_of(after)};
  std::vector<double> widths;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double reach = fitted.interval[static_cast<std::size_t>(families[i])];
    if (reach == 0) continue;  // no point was of that family
    widths.push_back(std::exp(reach) - std::exp(-reach));
    if (std::abs(after[i]) <= reach) ++outcome.inside;
  }
  if (!widths.empty()) {
    outcome.inside /= static_cast<double>(widths.size());
    outcome.width = quantile(std::move(widths), 0.5);
  }
  return outcome;
}

// The rows that a GPU has, or those of one table.
struct MeasuredPool {
  std::vector<Point> rows;
  std::vector<LinearPoint> linear;
  std::vector<double> before;
};

Result<FewPointsDraw> draw_once(const MeasuredPool& pool, const std::vector<std::size_t>& points, FactorModel& model,
                                const FactorPrior& prior) {
  const std::set<std::size_t> drawn(points.begin(), points.end());
  std::vector<Point> seen, rest;
  std::vector<double> before;
  std::vector<KernelFamily> families;
  for (const std::size_t point : points) seen.push_back(pool.rows[point]);
  for (std::size_t i = 0; i < pool.rows.size(); ++i) {
    if (drawn.count(i) > 0) continue;
    rest.push_back(pool.rows[i]);
    before.push_back(pool.before[i]);
    families.push_back(pool.linear[i].family);
  }
  auto fitted = TRY(fit_few_points(seen, model, prior, kCautions.front()));
  FewPointsDraw draw;
  draw.before = gmae_of(before);
  const double scale = quantile(fitted.before, 0.5);
  std::vector<double> scaled = before;
  for (double& residual : scaled) residual -= scale;
  draw.scaled = gmae_of(scaled);
  for (std::size_t c = 0; c < kCautions.size(); ++c) {
    const double share = fitted.share;
    if (c > 0) {
      fitted = TRY(with_caution(std::move(fitted), seen, model, prior, kCautions[c]));
      if (fitted.share == share) {
        draw.outcomes[c] = draw.outcomes[c - 1];
        continue;
      }
    }
    const auto outcome = TRY(outcome_of(fitted, rest, families, before, model));
    draw.outcomes[c] = outcome;
  }
  return draw;
}

// What is to be tried: so many points of these rows.
struct TrialTask {
  std::string gpu;
  std::string table;  // empty: all of the GPU
  std::vector<Point> rows;
  std::size_t points = 0;
};

// Each table of a GPU, then all together, with each number of points that its rows are enough for.
std::vector<TrialTask> tasks_of(const RowsByGpu& rows, const std::vector<MeasuredTable>& tables,
                                const FewPointsTrialOptions& options) {
  std::vector<TrialTask> tasks;
  for (const auto& [gpu, of_gpu] : rows) {
    std::vector<std::pair<std::string, std::vector<Point>>> pools;
    for (const auto& [table, points] : of_gpu.tables) pools.emplace_back(tables[table].name(), points);
    if (pools.size() > 1) pools.emplace_back("", of_gpu.all());
    for (const auto& [table, pool] : pools) {
      for (const std::size_t count : options.points) {
        if (pool.size() >= std::max(options.least_rows, 2 * count)) tasks.push_back({gpu, table, pool, count});
      }
    }
  }
  return tasks;
}

// `drawn` is called after each draw.
Result<FewPointsTrial> try_rows(const TrialTask& task, FactorModel& model, const FactorPrior& prior,
                                const FewPointsTrialOptions& options, const std::function<void()>& drawn) {
  const std::vector<Point>& rows = task.rows;
  const std::size_t points = task.points;
  FewPointsTrial trial{.gpu = task.gpu, .table = task.table, .points = points, .rows = rows.size(), .draws = {}};
  auto linear = TRY(linearise(rows, model, {}));
  MeasuredPool pool{rows, std::move(linear), {}};
  for (const LinearPoint& row : pool.linear) pool.before.push_back(row.residual);
  std::mt19937 random(options.seed);
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t open = options.chosen ? std::max(points, rows.size() / 2) : points;
  for (std::size_t d = 0; d < options.draws; ++d) {
    for (std::size_t i = 0; i < open; ++i) {  // the first places of a shuffle
      std::swap(order[i], order[i + random() % (order.size() - i)]);
    }
    std::vector<std::size_t> taken(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(open));
    if (options.chosen) {
      const std::vector<ChosenRow> chosen = most_telling(pool.linear, taken, points, prior);
      taken.clear();
      for (const ChosenRow& row : chosen) taken.push_back(row.row);
    }
    const auto draw = TRY(draw_once(pool, taken, model, prior));
    trial.draws.push_back(draw);
    drawn();
  }
  return trial;
}

}  // namespace

double taken_away(const FewPointsDraw& draw, std::size_t caution) {
  const double after = draw.outcomes[caution].after;
  return draw.before <= kNoiseFloor ? 0 : (draw.before - after) / (draw.before - kNoiseFloor);
}

bool is_worse(const FewPointsDraw& draw, std::size_t caution) {
  constexpr double kNoticeable = 1e-5;
  return draw.outcomes[caution].after > draw.before + kNoticeable;
}

std::size_t least_caution(const std::vector<FewPointsTrial>& trials, std::size_t points, const std::string& but) {
  constexpr double kMostWorse = 0.05;
  for (std::size_t c = 0; c < kCautions.size(); ++c) {
    double worse = 0, draws = 0;
    for (const FewPointsTrial& trial : trials) {
      if (trial.points != points || trial.gpu == but) continue;
      draws += static_cast<double>(trial.draws.size());
      for (const FewPointsDraw& draw : trial.draws) worse += is_worse(draw, c) ? 1 : 0;
    }
    if (worse <= kMostWorse * draws) return c;
  }
  return kCautions.size() - 1;
}

std::vector<Point> points_of(const MeasuredTable& table, std::size_t place, const FitRowsOptions& rows) {
  std::vector<Point> points;
  const std::vector<LayerRow>& all = table.table().rows;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (!all[row].flag.empty() || !all[row].measured.time || (rows.keep && !rows.keep(place, row))) continue;
    const Seconds measured = *all[row].measured.time - all[row].measured.host_overhead;
    if (measured > Seconds(0)) points.push_back({&all[row], measured});
  }
  return points;
}

std::vector<Point> rows_of(const MeasuredTable& table, std::size_t place, const FitRowsOptions& rows) {
  std::vector<Point> points;
  const std::vector<LayerRow>& all = table.table().rows;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (all[row].flag.empty() && (!rows.keep || rows.keep(place, row))) points.push_back({&all[row], Seconds(0)});
  }
  return points;
}

Result<FewPointsTrials> try_few_points(const std::vector<MeasuredTable>& tables, const FewPointsTrialOptions& options) {
  const auto rows = TRY(rows_by_gpu(tables, options));
  auto constants = TRY(calibrations(tables, rows, options));
  if (!options.known_harness) {
    for (auto& [gpu, calibration] : constants) calibration.harnesses.clear();
  }

  std::map<std::string, FactorModel> models;
  std::map<std::string, FactorEvidence> evidence;
  std::vector<const FactorEvidence*> every;
  for (const auto& [gpu, of_gpu] : rows) {
    FactorModel& model = models.try_emplace(gpu, std::move(constants[gpu]), gpu).first->second;
    auto own = TRY(factor_evidence(of_gpu.all(), model));
    every.push_back(&evidence.emplace(gpu, std::move(own)).first->second);
  }

  FewPointsTrials result;
  result.prior = learn_factor_prior(every);
  const std::vector<TrialTask> tasks = tasks_of(rows, tables, options);
  std::size_t draws = 0;
  const auto drawn = [&] {
    if (options.progress) options.progress("draws", ++draws, tasks.size() * options.draws);
  };
  for (const TrialTask& task : tasks) {
    std::vector<const FactorEvidence*> others;
    for (const auto& [other, its] : evidence) {
      if (other != task.gpu) others.push_back(&its);
    }
    const FactorPrior prior = options.left_out ? learn_factor_prior(others) : shipped_factor_prior();
    result.trials.push_back(TRY(try_rows(task, models.at(task.gpu), prior, options, drawn)));
  }
  for (FewPointsTrial& trial : result.trials) {
    trial.caution = options.left_out ? least_caution(result.trials, trial.points, trial.gpu) : place_of_shipped();
  }
  if (result.trials.empty()) return fail(ErrorCode::bad_input, "no GPU has enough rows to draw points from");
  return result;
}

}  // namespace rooftile
