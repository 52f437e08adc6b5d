// Calibration from a few points put to the test: points drawn from a GPU's rows, errors before and after on the rest.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/learn/constants/calibrate.hpp"
#include "rooftile/learn/factors/few_points_prior.hpp"

namespace rooftile {

struct FewPointsTrialOptions {
  FitRowsOptions rows = {};
  std::vector<std::size_t> points = {5};
  std::size_t draws = 50;
  unsigned seed = 1;
  // Constants and prior fitted without the GPU that is tested; else those that ship, which is right for a GPU that they
  // were not fitted on.
  bool left_out = true;
  // Whether what the rows' frameworks add to a call is known from other GPUs; else it is for the points to tell, as
  // with times that somebody took by means of their own.
  bool known_harness = true;
  // Points are chosen to tell most (few_points_choice.hpp) out of a half of the rows drawn at random, without a look at
  // times; else they are drawn.
  bool chosen = false;
  std::size_t most_rows = 120;  // of each table and GPU, evenly spread
  std::size_t least_rows = 50;  // a GPU with fewer is not tested
  int evaluations = 400;        // of each fit
  // Of the fits that leave a GPU out, then of the draws.
  std::function<void(std::string_view unit, std::size_t done, std::size_t of)> progress = {};
};

// Cautions that are tried.
inline constexpr std::array kCautions = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0};

// What one caution makes of a draw.
struct FewPointsOutcome {
  double after = 0;   // GMAE on the rows that are no points
  double inside = 0;  // share of these rows within the interval
  double width = 0;   // median of (high - low) / predicted
};

// One draw.
struct FewPointsDraw {
  double before = 0, scaled = 0;  // GMAE on the rows that are no points; all times by the points' median ratio instead
  std::array<FewPointsOutcome, kCautions.size()> outcomes{};
};

// Draws of so many points from the rows of a GPU.
struct FewPointsTrial {
  std::string gpu;
  std::string table;  // that points and scored rows are of; empty: all that the GPU has
  std::size_t points = 0, rows = 0;
  std::vector<FewPointsDraw> draws;
  std::size_t caution = 0;  // place in kCautions: the least that is right on the other GPUs (least_caution())
};

struct FewPointsTrials {
  std::vector<FewPointsTrial> trials;
  FactorPrior prior;  // over all GPUs
};

// GMAE that no constants take away: what rows of one kernel scatter by.
inline constexpr double kNoiseFloor = 0.05;

// What the points take away of the error above kNoiseFloor: 1 is all. 0 where there is none.
double taken_away(const FewPointsDraw& draw, std::size_t caution);

// Whether they raise the error by more than a thousandth of a percent: what is less is rounding.
bool is_worse(const FewPointsDraw& draw, std::size_t caution);

// The place in kCautions of the least with which no more than one draw in twenty gets worse, of so many points, on
// other GPUs than `but`; the last where there is none.
std::size_t least_caution(const std::vector<FewPointsTrial>& trials, std::size_t points, const std::string& but);

// Errors: those of hold_out() and estimate_row(); no GPU with rows enough.
Result<FewPointsTrials> try_few_points(const std::vector<MeasuredTable>& tables, const FewPointsTrialOptions& options);

// Rows that could be measured: not flagged, of the filter; without their times.
std::vector<Point> rows_of(const MeasuredTable& table, std::size_t place, const FitRowsOptions& rows);

// Rows that can be points: the same that are measured.
std::vector<Point> points_of(const MeasuredTable& table, std::size_t place, const FitRowsOptions& rows);

}  // namespace rooftile
