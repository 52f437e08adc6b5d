// Rooflines as text, JSON, CSV and SVG (docs/roofline.md).
#pragma once

#include <string>

#include "rooftile/roofline/view.hpp"

namespace rooftile {

struct RooflineTableOptions {
  bool all = false;  // every kernel in its order, not those with the most to win
};

// A page to read: the roof, what bounds the kernels, the kernels with their times and inefficiency, what to fix first.
std::string roofline_table(const roofline::View& view, const RooflineTableOptions& options = {});

// "rooftile/roofline/1"; schema: data/schema/roofline-1.json.
std::string roofline_json(const roofline::View& view);

// One row a kernel, time points at the view's level.
std::string roofline_csv(const roofline::View& view);

}  // namespace rooftile
