// How good the grey box is with few rows: fitted to some of a GPU's rows, drawn at random, and judged on the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"

namespace rooftile {

struct GreyBoxCurveOptions {
  std::vector<std::size_t> points = {20, 50, 100, 300, 1000};
  std::size_t draws = 10;  // of each number of points
  GreyBoxOptions grey_box = {};
  std::uint64_t seed = 1;
  std::function<void(std::size_t done, std::size_t of)> progress = {};  // draws
};

// One draw, on the rows that were not drawn: medians of |predicted - measured| / measured.
struct GreyBoxDraw {
  double analytic = 0, physics = 0, grey_box = 0;
  double inside = 0;  // share within the interval; 0 where there is none
};

// Draws of so many points from a GPU's rows.
struct GreyBoxCurvePoint {
  std::string gpu;
  std::size_t points = 0;
  std::size_t rows = 0;  // of the GPU
  std::vector<GreyBoxDraw> draws;
};

// By GPU, then by points; without those that leave no rows to judge on. Rows of a shape are drawn together; rows of an
// operation and pass that was not drawn are not judged. Errors: those of fit_grey_box(); no GPU with rows enough.
Result<std::vector<GreyBoxCurvePoint>> grey_box_curve(const GreyBoxRows& rows, const GreyBoxCurveOptions& options);

}  // namespace rooftile
