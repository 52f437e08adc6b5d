// What the charts of rooflines share. Private to them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/report/roofline.hpp"
#include "rooftile/report/svg_chart.hpp"

namespace rooftile {

// A kernel that has a place on logarithmic axes: FLOPs, bytes and a time, all above zero.
struct PlacedKernel {
  const roofline::Kernel* kernel = nullptr;
  roofline::TimePoint point;
  Flops flops;
  Bytes bytes;
};

struct PlacedKernels {
  std::vector<PlacedKernel> kernels;  // the longest first
  std::string left_out;               // "Not drawn: 3 kernels without FLOPs (1.2 ms)."; empty if none
};
PlacedKernels placed_kernels(const roofline::View& view, std::size_t level);

// How many names a chart has, and how long the longest is.
constexpr std::size_t kNamedKernels = 8, kNameWidth = 28;

// The name of a point: the layer of a measured kernel where that is known, else title_of(); cut to kNameWidth.
std::string called(const roofline::Kernel& kernel);

// What limits a kernel (a Bottleneck's or a Bound's name) and a memory level have the same colours in all charts and in
// the page (page/palette.js). bar_colour() tells parts of bars apart by their place.
std::string limit_colour(std::string_view limit);
std::string level_colour(std::string_view level, std::size_t place);
std::string bar_colour(std::size_t place);

// The units under whose roofs the kernels stand, the one with the most time first.
std::vector<Peak> roofs_of(const std::vector<PlacedKernel>& kernels);

// Dashes that tell the roofs of several units apart: solid for the first.
std::string roof_dashes(std::size_t place);

// Widens an axis to at least a decade about its middle.
void widen(Axis& axis);

std::string complexity_chart(const roofline::View& view, RooflineAxes axes);
std::string time_chart(const roofline::View& view, RooflineAxes axes);
std::string combined_chart(const roofline::View& view, RooflineAxes axes);
std::string classic_chart(const roofline::View& view);
std::string hierarchical_chart(const roofline::View& view);
std::string bottleneck_bars(const roofline::View& view);
std::string stall_bars(const roofline::View& view);

}  // namespace rooftile
