// How a roofline is drawn: what roofline and roofline-study share.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/report/roofline.hpp"
#include "rooftile/roofline/view.hpp"

namespace rooftile::cli {

struct RooflineOutput {
  std::string level;     // of time points; empty: DRAM
  std::string ceilings;  // measured ones in place of the catalogue's; empty: those
  std::string peak;      // that every kernel stands under; empty: that of the unit it ran on
  bool chart_named = false;
  RooflineChart chart = RooflineChart::combined;
  RooflineAxes axes = RooflineAxes::bytes_x;
  OutputArguments output;
};

// --level, --ceilings, --chart, --format and -o.
void add_roofline_output(CLI::App* app, RooflineOutput& drawing);

// The roof of the GPU. Errors: ceilings, a level or a peak that there are not; a chart where no chart is drawn.
struct ChosenRoof {
  roofline::Roof roof;
  std::size_t level = 0;
  std::optional<Peak> forced;
};
Result<ChosenRoof> choose_roof(const RooflineOutput& drawing, const Gpu& gpu);

// The level and the peak that a view is drawn with.
void draw_under(const ChosenRoof& chosen, roofline::View& view);

// Writes the views, one a GPU. Errors: a chart or page of several GPUs, or without anything to draw.
Result<void> write_roofline(const RooflineOutput& drawing, std::span<const roofline::View> views);

}  // namespace rooftile::cli
