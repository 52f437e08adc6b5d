// Rooflines as text, JSON, CSV and SVG (docs/roofline.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/report/text.hpp"
#include "rooftile/roofline/view.hpp"

namespace rooftile {

struct RooflineTableOptions {
  bool all = false;  // every kernel in its order, not those with the most to win
};

// A page to read: the roof, what bounds the kernels, the kernels with their times and inefficiency, what to fix first.
std::string roofline_table(const roofline::View& view, const RooflineTableOptions& options = {},
                           std::size_t width = kAnyWidth);

// "rooftile/roofline/1", one object, or an array for several GPUs; schema: data/schema/roofline-1.json.
std::string roofline_json(std::span<const roofline::View> views);

// Of each GPU one row a kernel, time points at its view's level.
std::string roofline_csv(std::span<const roofline::View> views);

enum class RooflineChart {
  complexity,    // FLOPs against bytes
  time,          // compute time against bandwidth time
  combined,      // both: the complexity point of each kernel joined with its time point
  classic,       // FLOP/s against FLOPs a byte, at the view's level
  hierarchical,  // the same with a marker a level
  bottleneck,    // bars: what limits each layer
  stalls,        // bars: why warps did not issue
};
std::string_view name_of(RooflineChart chart);
std::optional<RooflineChart> parse_roofline_chart(std::string_view text);
std::vector<std::string> roofline_chart_names();

// Of the first three charts: what stands along x.
enum class RooflineAxes { bytes_x, flops_x };

// A chart as SVG; the largest few kernels are named. Kernels that have no place in it are counted in its caption.
std::string roofline_svg(const roofline::View& view, RooflineChart chart, RooflineAxes axes = RooflineAxes::bytes_x);

}  // namespace rooftile
