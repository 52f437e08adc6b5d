// Calibration from a few points put to the test: points drawn from a GPU's rows, errors before and after on the rest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooftile/learn/calibrate.hpp"
#include "rooftile/learn/few_points_prior.hpp"

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
  std::size_t most_rows = 120;  // of each table and GPU, evenly spread
  std::size_t least_rows = 50;  // a GPU with fewer is not tested
  int evaluations = 400;        // of each fit
};

// One draw.
struct FewPointsDraw {
  double before = 0, after = 0;      // GMAE on the rows that were not drawn
  double likeliest = 0, scaled = 0;  // without caution; all times by the points' median ratio instead
  double inside = 0;                 // share of these rows within the interval
  double width = 0;                  // median of (high - low) / predicted
};

// Draws of so many points from the rows of a GPU.
struct FewPointsTrial {
  std::string gpu;
  std::string table;  // that points and scored rows are of; empty: all that the GPU has
  std::size_t points = 0, rows = 0;
  std::vector<FewPointsDraw> draws;
};

struct FewPointsTrials {
  std::vector<FewPointsTrial> trials;
  FactorPrior prior;  // over all GPUs
};

// GMAE that no constants take away: what rows of one kernel scatter by.
inline constexpr double kNoiseFloor = 0.05;

// What the points take away of the error above kNoiseFloor: 1 is all. 0 where there is none.
double taken_away(const FewPointsDraw& draw);

// Errors: those of hold_out() and estimate_row(); no GPU with rows enough.
Result<FewPointsTrials> try_few_points(const std::vector<MeasuredTable>& tables, const FewPointsTrialOptions& options);

// Rows that can be points: measured, not flagged, of the filter. Error: a row that cannot be predicted.
std::vector<Point> points_of(const MeasuredTable& table, std::size_t place, const FitRowsOptions& rows);

}  // namespace rooftile
