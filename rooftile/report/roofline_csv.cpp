// A roofline as CSV: one row a kernel.
#include <algorithm>
#include <cmath>
#include <span>
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

// Columns that depend on what is shown: the levels and stalls that any kernel has, in the order in which they first
// occur.
struct Columns {
  std::vector<std::string> levels, stalls;
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

Columns columns_of(std::span<const View> views) {
  Columns columns;
  for (const View& view : views) {
    for (const roofline::RoofLevel& level : view.roof.levels) add_once(columns.levels, level.name);
    for (const roofline::NetworkStalls& network : view.stalls) {
      for (const roofline::StallShare& stall : network.shares) add_once(columns.stalls, stall.name);
    }
  }
  return columns;
}

std::vector<std::string> header_of(const Columns& columns) {
  std::vector<std::string> header = {"gpu", "name", "layer", "op", "origin", "pass", "unit", "flops"};
  for (const std::string& level : columns.levels) header.push_back(fmt::format("bytes.{}", level));
  for (const char* name : {"level", "roof", "intensity", "balance", "bound", "compute_time_s", "bandwidth_time_s",
                           "launches", "overhead_s", "achievable_s", "time_s", "inefficiency", "bottleneck"}) {
    header.emplace_back(name);
  }
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    header.push_back(fmt::format("cases_s.{}", name_of(static_cast<Bottleneck>(i))));
  }
  for (const std::string& stall : columns.stalls) header.push_back(fmt::format("stalls.{}", stall));
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

std::vector<std::string> row_of(const View& view, const Kernel& kernel, const Columns& columns) {
  std::vector<std::string> row = {view.gpu,
                                  kernel.name,
                                  kernel.layer,
                                  kernel.op,
                                  std::string(name_of(kernel.origin)),
                                  kernel.pass ? std::string(name_of(*kernel.pass)) : "",
                                  std::string(name_of(kernel.unit)),
                                  kernel.flops_known ? cell(kernel.total_flops().value()) : ""};
  for (const std::string& name : columns.levels) {
    const auto level = view.roof.level(name);
    row.push_back(level ? cell(kernel.bytes[*level]) : "");
  }
  add_point(row, view, kernel);
  row.push_back(kernel.bottleneck ? std::string(name_of(*kernel.bottleneck)) : "");
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    row.push_back(kernel.cases ? cell(kernel.cases->by[i].value()) : "");
  }
  for (const std::string& name : columns.stalls) {
    const auto found = std::find_if(kernel.stalls.begin(), kernel.stalls.end(),
                                    [&](const roofline::StallShare& stall) { return stall.name == name; });
    row.push_back(found == kernel.stalls.end() ? "" : cell(found->share));
  }
  return row;
}

}  // namespace

std::string roofline_csv(std::span<const View> views) {
  const Columns columns = columns_of(views);
  std::string text = write_csv_row(header_of(columns));
  for (const View& view : views) {
    for (const Kernel& kernel : view.kernels) text += write_csv_row(row_of(view, kernel, columns));
  }
  return text;
}

}  // namespace rooftile
