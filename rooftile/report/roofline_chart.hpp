// What the charts of rooflines share. Private to them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/report/kernel_groups.hpp"
#include "rooftile/report/palette.hpp"
#include "rooftile/report/roofline.hpp"
#include "rooftile/report/svg_chart.hpp"

namespace rooftile {

// Equal kernels that have a place on logarithmic axes: FLOPs, bytes and a time, all above zero.
struct PlacedKernel {
  KernelGroup group;
  const roofline::Kernel* kernel = nullptr;  // the first of the group
  roofline::TimePoint point;
  Flops flops;
  Bytes bytes;
};

struct PlacedKernels {
  std::vector<PlacedKernel> kernels;  // those that take the most time first
  std::string left_out;               // "Not drawn: 3 kernels without FLOPs (1.2 ms)."; empty if none
};
PlacedKernels placed_kernels(const roofline::View& view, std::size_t level);

// How many names a chart has, and how long the longest is.
constexpr std::size_t kNamedKernels = 8, kNameWidth = 28;

// The name of a point: the layer of a measured kernel where that is known, else title_of(); cut to kNameWidth.
std::string called(const PlacedKernel& placed);

// Appends a kernel's place to a series of points, with what to tell of it.
void add_point(ChartSeries& series, const PlacedKernel& placed, std::pair<double, double> place);

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
