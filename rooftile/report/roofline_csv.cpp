// A roofline as CSV: one row a kernel.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/roofline.hpp"

namespace rooftile {
namespace {

using roofline::Kernel;
using roofline::View;

std::string cell(double number) { return std::isfinite(number) ? fmt::format("{}", number) : ""; }

template <class Q>
std::string cell(const std::optional<Q>& quantity) {
  return quantity ? cell(quantity->value()) : "";
}

// Stalls that any kernel has, in the order in which they first occur.
std::vector<std::string> stalls_of(const View& view) {
  std::vector<std::string> names;
  for (const roofline::NetworkStalls& network : view.stalls) {
    for (const roofline::StallShare& stall : network.shares) {
      if (std::find(names.begin(), names.end(), stall.name) == names.end()) names.push_back(stall.name);
    }
  }
  return names;
}

std::vector<std::string> header_of(const View& view, const std::vector<std::string>& stalls) {
  std::vector<std::string> header = {"name", "layer", "op", "origin", "pass", "unit", "flops"};
  for (const roofline::RoofLevel& level : view.roof.levels) header.push_back(fmt::format("bytes.{}", level.name));
  for (const char* name : {"level", "roof", "intensity", "balance", "bound", "compute_time_s", "bandwidth_time_s",
                           "launches", "overhead_s", "achievable_s", "time_s", "inefficiency", "bottleneck"}) {
    header.emplace_back(name);
  }
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    header.push_back(fmt::format("cases_s.{}", name_of(static_cast<Bottleneck>(i))));
  }
  for (const std::string& stall : stalls) header.push_back(fmt::format("stalls.{}", stall));
  return header;
}

void add_point(std::vector<std::string>& row, const View& view, const Kernel& kernel) {
  const auto point = point_of(view, kernel);
  row.push_back(view.roof.levels[view.level].name);
  if (!point) {
    row.insert(row.end(),
               {"", "", "", "", "", "", cell(kernel.launches),
                cell((view.roof.launch_overhead * kernel.launches).value()), "", cell(kernel.time.value()), ""});
    return;
  }
  row.insert(row.end(), {std::string(name_of(point->peak)), cell(point->intensity), cell(point->balance),
                         std::string(name_of(point->bound)), cell(point->compute_time.value()),
                         cell(point->bandwidth_time.value()), cell(kernel.launches), cell(point->overhead.value()),
                         cell(point->achievable.value()), cell(kernel.time.value()), cell(point->inefficiency)});
}

std::vector<std::string> row_of(const View& view, const Kernel& kernel, const std::vector<std::string>& stalls) {
  std::vector<std::string> row = {kernel.name,
                                  kernel.layer,
                                  kernel.op,
                                  std::string(name_of(kernel.origin)),
                                  kernel.pass ? std::string(name_of(*kernel.pass)) : "",
                                  std::string(name_of(kernel.unit)),
                                  kernel.flops_known ? cell(kernel.total_flops().value()) : ""};
  for (const auto& bytes : kernel.bytes) row.push_back(cell(bytes));
  add_point(row, view, kernel);
  row.push_back(kernel.bottleneck ? std::string(name_of(*kernel.bottleneck)) : "");
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    row.push_back(kernel.cases ? cell(kernel.cases->by[i].value()) : "");
  }
  for (const std::string& name : stalls) {
    const auto found = std::find_if(kernel.stalls.begin(), kernel.stalls.end(),
                                    [&](const roofline::StallShare& stall) { return stall.name == name; });
    row.push_back(found == kernel.stalls.end() ? "" : cell(found->share));
  }
  return row;
}

}  // namespace

std::string roofline_csv(const View& view) {
  const std::vector<std::string> stalls = stalls_of(view);
  std::string text = write_csv_row(header_of(view, stalls));
  for (const Kernel& kernel : view.kernels) text += write_csv_row(row_of(view, kernel, stalls));
  return text;
}

}  // namespace rooftile
