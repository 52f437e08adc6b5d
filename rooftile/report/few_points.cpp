#include "rooftile/report/few_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "rooftile/base/quantile.hpp"
#include "rooftile/learn/constants/fit.hpp"
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
bool changes_nothing(const FewPoints& fitted) { return fitted.share == 0; }

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

// Draws under the caution of their GPU.
struct Draw {
  FewPointsDraw draw;
  std::size_t caution = 0;
};

using Figure = double (*)(const Draw&);

double median(const std::vector<Draw>& draws, Figure figure) {
  std::vector<double> values;
  for (const Draw& draw : draws) values.push_back(figure(draw));
  return values.empty() ? 0 : kPercent * quantile(std::move(values), 0.5);
}

double share_worse(const std::vector<Draw>& draws) {
  const auto worse =
      std::count_if(draws.begin(), draws.end(), [](const Draw& draw) { return is_worse(draw.draw, draw.caution); });
  return draws.empty() ? 0 : kPercent * static_cast<double>(worse) / static_cast<double>(draws.size());
}

double median_taken(std::vector<Draw> draws) {
  std::erase_if(draws, [](const Draw& draw) { return draw.draw.before <= kNoiseFloor; });
  return median(draws, [](const Draw& draw) { return taken_away(draw.draw, draw.caution); });
}

std::string trial_line(std::string_view gpu, std::string_view table, std::size_t rows, const std::string& caution,
                       const std::vector<Draw>& draws) {
  return fmt::format(
      "  {:16} {:30} {:>5} {:>7} {:>7.1f} {:>6.1f} {:>9.1f} {:>7.1f} {:>6.1f} {:>6.1f} {:>7.1f} {:>6.1f}\n", gpu, table,
      rows, caution, median(draws, [](const Draw& draw) { return draw.draw.before; }),
      median(draws, [](const Draw& draw) { return draw.draw.outcomes[draw.caution].after; }),
      median(draws, [](const Draw& draw) { return draw.draw.outcomes.front().after; }),
      median(draws, [](const Draw& draw) { return draw.draw.scaled; }), median_taken(draws), share_worse(draws),
      median(draws, [](const Draw& draw) { return draw.draw.outcomes[draw.caution].inside; }),
      median(draws, [](const Draw& draw) { return draw.draw.outcomes[draw.caution].width; }));
}

// Draws of all trials of so many points of one table, or of all that a GPU has.
std::string total_line(const FewPointsTrials& trials, std::size_t points, bool of_table) {
  std::vector<Draw> draws;
  std::size_t rows = 0;
  for (const FewPointsTrial& trial : trials.trials) {
    if (trial.points != points || trial.table.empty() == of_table) continue;
    for (const FewPointsDraw& draw : trial.draws) draws.push_back({draw, trial.caution});
    rows += trial.rows;
  }
  return draws.empty() ? "" : trial_line("every GPU", of_table ? "one table" : "all", rows, "", draws);
}

// What each caution would do, over all GPUs.
std::string cautions_text(const FewPointsTrials& trials, std::size_t points) {
  std::string text = "  caution       ";
  for (const double caution : kCautions) text += fmt::format(" {:>11.1f}", caution);
  for (const bool of_table : {true, false}) {
    text += fmt::format("\n  {:14}", of_table ? "one table" : "all");
    for (std::size_t c = 0; c < kCautions.size(); ++c) {
      std::vector<Draw> draws;
      for (const FewPointsTrial& trial : trials.trials) {
        if (trial.points != points || trial.table.empty() == of_table) continue;
        for (const FewPointsDraw& draw : trial.draws) draws.push_back({draw, c});
      }
      text += fmt::format(" {:>5.1f}/{:>5.1f}", median_taken(draws), share_worse(draws));
    }
  }
  return text + "\n";
}

}  // namespace

std::string few_points_report(const FewPoints& fitted, const std::vector<double>& crossed, const std::string& gpu,
                              std::size_t width) {
  const auto line = [&](const std::string& words) { return page_line("  " + words, width, "    "); };
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
      "\n" + line(fmt::format("applied is {:.0f} % of the likeliest step, which is {:.1f} deviations from no effect "
                              "({:.0f} % at {}, nothing below {})",
                              kPercent * fitted.share, fitted.sure, kPercent, 2 * kCaution, kCaution));
  if (!fitted.calls.empty()) {
    const auto [least, most] = std::minmax_element(fitted.calls.begin(), fitted.calls.end(),
                                                   [](const auto& a, const auto& b) { return a.weight < b.weight; });
    text +=
        line(fmt::format("calls of similar length and bottleneck to a row: x {:.2f} to x {:.2f} on top of the factors",
                         std::exp(least->weight), std::exp(most->weight)));
  }
  text += line(fmt::format(
      "GMAE of the rows  {} before, {} after{}", gmae_text(fitted.before), gmae_text(fitted.after),
      // One row has no others.
      crossed.size() > 1 ? fmt::format(", {} with each row left out in turn", gmae_text(crossed)) : std::string()));
  text += intervals_text(fitted);
  if (!silent.empty()) {
    constexpr std::size_t kWidth = 112;
    text += page_line(fmt::format("  not determined by the rows: {}", fmt::join(silent, ", ")), std::min(width, kWidth),
                      "    ");
  }
  if (gmae_of(crossed) >= gmae_of(fitted.before)) {
    text += line("warning: left-out rows are predicted no better than before; measure more rows, or other shapes");
  }
  constexpr const char* kUnder = "             ";
  text += "\n" + page_line("  applied    relative to what the constants alone predict; likeliest: before caution",
                           width, kUnder);
  return text + page_line(
                    "  deviation  of the factor's logarithm over GPUs, before the rows; rows tell: how much of it "
                    "they take away",
                    width, kUnder);
}

std::string suggested_points_report(const std::vector<ChosenRow>& chosen, const std::vector<LinearPoint>& rows,
                                    const std::vector<std::string>& places, const std::string& gpu, std::size_t width) {
  std::string text = fmt::format("Most informative of {} to measure on {}\n\n", counted(rows.size(), "row"), gpu);
  TextTable table({{"left", Align::right}, {"family"}, {"limited by"}, {"predicted", Align::right}, {"row"}});
  for (const ChosenRow& one : chosen) {
    const LinearPoint& row = rows[one.row];
    const auto* most = std::max_element(row.place.limits.begin(), row.place.limits.end());
    table.add({fmt::format("{:.0f} %", kPercent * one.left), std::string(name_of(row.family)),
               std::string(CallPlace::kLimits[static_cast<std::size_t>(most - row.place.limits.begin())]),
               fmt::format("{:.1f} us", row.place.micros), places[one.row]});
  }
  text += table.text(width);
  constexpr std::size_t kWidth = 138;
  return text + "\n" +
         page_line(
             "  left       share of the variance of all rows' errors left once this row and those above are "
             "measured, if boards differ as those that are known do",
             std::min(width, kWidth), "             ");
}

std::string few_points_trials_report(const FewPointsTrials& trials, const FewPointsTrialOptions& options) {
  std::string text = fmt::format("Calibration from points {}, {} draws, constants and prior {}, harness {}\n",
                                 options.chosen ? "chosen from half of the rows to tell most" : "drawn at random",
                                 options.draws, options.left_out ? "without the GPU" : "that ship",
                                 options.known_harness ? "as on other GPUs" : "not known");
  for (const std::size_t points : options.points) {
    text +=
        fmt::format("\n  {:47} {:>5} {:>7} {:>7} {:>6} {:>9} {:>7} {:>6} {:>6} {:>7} {:>6}\n", counted(points, "point"),
                    "rows", "caution", "before", "after", "likeliest", "scaled", "taken", "worse", "inside", "width");
    for (const FewPointsTrial& trial : trials.trials) {
      if (trial.points != points) continue;
      std::vector<Draw> draws;
      for (const FewPointsDraw& draw : trial.draws) draws.push_back({draw, trial.caution});
      text += trial_line(trial.gpu, trial.table.empty() ? "all" : short_name(trial.table), trial.rows,
                         fmt::format("{:.1f}", kCautions[trial.caution]), draws);
    }
    text += total_line(trials, points, true) + total_line(trials, points, false) + "\n" + cautions_text(trials, points);
  }
  text += "\n  deviations of the prior over all these GPUs:";
  for (std::size_t i = 0; i < kFactors; ++i) {
    text += fmt::format(" {} {:.3f}", factor_name(i), trials.prior.deviation[i]);
  }
  text += fmt::format(
      ", launch_overhead of an unknown framework {:.2f}\n  shared with calls alike {:.3f}, a row's own {:.3f}; both "
      "of:",
      trials.prior.unknown_launch, trials.prior.shared, trials.prior.noise);
  for (const KernelFamily family : kKernelFamilies) {
    text += fmt::format(" {} {:.3f}", name_of(family), trials.prior.scatter[static_cast<std::size_t>(family)]);
  }
  text += fmt::format(", nine of ten rows within {:.2f} deviations\n", trials.prior.tail);
  text +=
      "\n  rows       that points are of; the others are scored. Figures are medians over the draws, in %\n"
      "  caution    " +
      std::string(options.left_out ? "the least with which no more than 5 % of draws of the other GPUs get worse"
                                   : "that ships") +
      "; below: taken / worse of each, over all GPUs\n"
      "  before     GMAE of the scored rows without the points; after: with them; likeliest: without caution; scaled: "
      "all "
      "times by\n"
      "             the points' median ratio\n"
      "  taken      share of the GMAE above 5 % that the points take away; worse: share of draws that raise GMAE\n"
      "  inside     share of scored rows in the 90 % interval; width: its width relative to the prediction\n";
  return text;
}

}  // namespace rooftile
