#include "rooftile/report/few_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "rooftile/learn/fit.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/validate/score.hpp"

namespace rooftile {
namespace {

constexpr double kPercent = 100;

// The folder and the name of a table's path.
std::string short_name(const std::string& path) {
  const std::size_t name = path.rfind('/');
  if (name == std::string::npos || name == 0) return path;
  const std::size_t folder = path.rfind('/', name - 1);
  return folder == std::string::npos ? path : path.substr(folder + 1);
}

// What one factor is before and after, and how sure each is.
std::string factor_line(const FewPoints& fitted, std::size_t factor) {
  return fmt::format("  {:22} {:>7.3f} {:>14.3f} {:>10.3f} {:>12.0f} %\n", factor_name(factor),
                     std::exp(fitted.logs[factor]), std::exp(fitted.likeliest[factor]), fitted.prior[factor],
                     kPercent * fitted.told(factor));
}

// "12.3 %"; rows that are far from any prediction have errors of many digits.
std::string gmae_text(const std::vector<double>& residuals) {
  constexpr double kMany = 1e5;
  const double gmae = kPercent * gmae_of(residuals);
  return gmae < kMany ? fmt::format("{:.1f} %", gmae) : fmt::format("{:.2e} %", gmae);
}

// Whether the rows leave the constants' intervals as they are.
bool changes_nothing(const FewPoints& fitted) { return fitted.caution == 0; }

std::string intervals_text(const FewPoints& fitted) {
  if (changes_nothing(fitted)) return "  nothing is changed, so intervals stay those of the constants\n";
  std::string text;
  for (const KernelFamily family : kKernelFamilies) {
    const auto f = static_cast<std::size_t>(family);
    if (fitted.points[f] == 0) continue;
    text += fmt::format("  90 % interval of {:11} x {:.2f} to x {:.2f}, from {}\n", name_of(family),
                        std::exp(-fitted.interval[f]), std::exp(fitted.interval[f]), counted(fitted.points[f], "row"));
  }
  return text;
}

double median(const std::vector<FewPointsDraw>& draws, double FewPointsDraw::*value) {
  std::vector<double> values;
  for (const FewPointsDraw& draw : draws) values.push_back(draw.*value);
  return kPercent * quantile(std::move(values), 0.5);
}

// GMAE to a thousandth of a percent: what is less is rounding.
bool is_worse(const FewPointsDraw& draw) { return draw.after > draw.before + 1e-5; }

double share_worse(const std::vector<FewPointsDraw>& draws) {
  const auto worse = std::count_if(draws.begin(), draws.end(), is_worse);
  return draws.empty() ? 0 : kPercent * static_cast<double>(worse) / static_cast<double>(draws.size());
}

double median_taken(const std::vector<FewPointsDraw>& draws) {
  std::vector<double> values;
  for (const FewPointsDraw& draw : draws) {
    if (draw.before > kNoiseFloor) values.push_back(taken_away(draw));
  }
  return values.empty() ? 0 : kPercent * quantile(std::move(values), 0.5);
}

std::string trial_line(std::string_view gpu, std::string_view table, std::size_t points, std::size_t rows,
                       const std::vector<FewPointsDraw>& draws) {
  return fmt::format(
      "  {:16} {:30} {:>6} {:>5} {:>7.1f} {:>6.1f} {:>9.1f} {:>7.1f} {:>6.1f} {:>6.1f} {:>7.1f} {:>6.1f}\n", gpu, table,
      points, rows, median(draws, &FewPointsDraw::before), median(draws, &FewPointsDraw::after),
      median(draws, &FewPointsDraw::likeliest), median(draws, &FewPointsDraw::scaled), median_taken(draws),
      share_worse(draws), median(draws, &FewPointsDraw::inside), median(draws, &FewPointsDraw::width));
}

}  // namespace

std::string few_points_report(const FewPoints& fitted, const std::vector<double>& crossed, const std::string& gpu) {
  std::string text = fmt::format("Calibration of {} from {}\n\n", gpu, counted(fitted.before.size(), "measured row"));
  text +=
      fmt::format("  {:22} {:>7} {:>14} {:>10} {:>14}\n", "factor", "applied", "likeliest", "deviation", "rows tell");
  std::vector<std::string> silent;
  for (std::size_t i = 0; i < kFactors; ++i) {
    const bool is_told = fitted.told(i) >= kLeastTold;
    if (!is_told) silent.push_back(factor_name(i));
    const bool has_rows = i < kSharedFactors || fitted.points[i - kSharedFactors] > 0;
    if (is_told || has_rows) text += factor_line(fitted, i);
  }
  text +=
      fmt::format("\n  caution {:.2f}: of the likeliest step, the part that all but surely helps; 0 changes nothing\n",
                  fitted.caution);
  text += fmt::format("  GMAE of the rows  {} before, {} after", gmae_text(fitted.before), gmae_text(fitted.after));
  // One row has no others.
  text += crossed.size() > 1 ? fmt::format(", {} each by the others' factors\n", gmae_text(crossed)) : "\n";
  text += intervals_text(fitted);
  if (!silent.empty()) {
    constexpr std::size_t kWidth = 110;
    text += "  " + wrapped(fmt::format("the rows say nothing of: {}", fmt::join(silent, ", ")), kWidth, "    ") + "\n";
  }
  constexpr std::size_t kFew = 5;
  if (fitted.before.size() < kFew) text += fmt::format("  warning: fewer than {} rows; measure more\n", kFew);
  if (!changes_nothing(fitted) && gmae_of(crossed) > gmae_of(fitted.before)) {
    text += "  warning: rows left out are predicted worse after than before; measure more, or other shapes\n";
  }
  text +=
      "\n  applied    relative to what the constants alone predict; likeliest: before caution\n"
      "  deviation  of the logarithm of the factor over GPUs, before the rows; rows tell: how much of it they took "
      "away\n";
  return text;
}

std::string few_points_trials_report(const FewPointsTrials& trials, const FewPointsTrialOptions& options) {
  std::string text = fmt::format(
      "Calibration from points drawn at random, {} draws, constants and prior {}, harness {}\n\n", options.draws,
      options.left_out ? "without the GPU" : "that ship", options.known_harness ? "as on other GPUs" : "not known");
  text += fmt::format("  {:16} {:30} {:>6} {:>5} {:>7} {:>6} {:>9} {:>7} {:>6} {:>6} {:>7} {:>6}\n", "gpu", "table",
                      "points", "rows", "before", "after", "likeliest", "scaled", "taken", "worse", "inside", "width");
  for (const FewPointsTrial& trial : trials.trials) {
    text += trial_line(trial.gpu, trial.table.empty() ? "all" : short_name(trial.table), trial.points, trial.rows,
                       trial.draws);
  }
  for (const std::size_t points : options.points) {
    std::vector<FewPointsDraw> all;
    std::size_t rows = 0;
    for (const FewPointsTrial& trial : trials.trials) {
      if (trial.points != points) continue;
      all.insert(all.end(), trial.draws.begin(), trial.draws.end());
      rows += trial.rows;
    }
    if (!all.empty()) text += trial_line("all", "", points, rows, all);
  }
  text += "\n  deviations of the prior over all these GPUs:";
  for (std::size_t i = 0; i < kFactors; ++i) {
    text += fmt::format(" {} {:.3f}", factor_name(i), trials.prior.deviation[i]);
  }
  text += fmt::format(", launch_overhead of an unknown framework {:.2f}\n  noise:", trials.prior.unknown_launch);
  for (const KernelFamily family : kKernelFamilies) {
    text += fmt::format(" {} {:.3f}", name_of(family), trials.prior.noise[static_cast<std::size_t>(family)]);
  }
  text += fmt::format(", nine of ten rows within {:.2f} of it\n", trials.prior.tail);
  text +=
      "\n  rows       that points are drawn from; the others are scored. Figures are medians over the draws, in %\n"
      "  before     GMAE of these without the points; after: with them; likeliest: without caution; scaled: all times "
      "by\n"
      "             the points' median ratio\n"
      "  taken      share of the GMAE above 5 % that the points take away; worse: share of draws that raise GMAE\n"
      "  inside     share of scored rows in the 90 % interval; width: its width relative to the prediction\n";
  return text;
}

}  // namespace rooftile
