#include "rooftile/measure/point.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile::measure {
namespace {

constexpr std::array<std::string_view, 8> kColumns = {"benchmark", "variant", "parameter", "value",
                                                      "low",       "high",    "repeats",   "unit"};

std::string number_cell(double value) { return fmt::format("{:.12g}", value); }

Result<Point> parse_row(const CsvRow& row, std::string_view where) {
  const auto wrong = [&](std::string message, std::string_view column) {
    std::string place = fmt::format("{}:{}", where, row.line);
    if (!column.empty()) place += fmt::format(", column {}", column);
    return fail(ErrorCode::bad_input, std::move(message), std::move(place));
  };
  if (row.cells.size() != kColumns.size()) {
    return wrong(fmt::format("{} cells in a table of {} columns", row.cells.size(), kColumns.size()), "");
  }
  constexpr std::size_t kFirstNumber = 2, kNumbers = 5;
  std::array<double, kNumbers> numbers{};
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const std::string& cell = row.cells[kFirstNumber + i];
    const std::optional<double> value = parse_number(cell);
    if (!value) return wrong(fmt::format("'{}' is not a number", one_line(cell, 40)), kColumns[kFirstNumber + i]);
    numbers[i] = *value;
  }
  constexpr double kMostRepeats = 1e9;
  const double repeats = numbers[4];
  if (repeats < 0 || repeats > kMostRepeats || repeats != std::floor(repeats)) {
    return wrong(fmt::format("{} is not a count", repeats), "repeats");
  }
  return Point{row.cells[0],
               row.cells[1],
               numbers[0],
               {numbers[1], numbers[2], numbers[3], static_cast<std::size_t>(repeats)},
               row.cells[7]};
}

}  // namespace

std::string point_header() {
  const std::vector<std::string> names(kColumns.begin(), kColumns.end());
  return write_csv_row(names);
}

std::string write_point(const Point& point) {
  const std::vector<std::string> cells = {point.benchmark,
                                          point.variant,
                                          number_cell(point.parameter),
                                          number_cell(point.value.median),
                                          number_cell(point.value.low),
                                          number_cell(point.value.high),
                                          fmt::format("{}", point.value.count),
                                          point.unit};
  return write_csv_row(cells);
}

Result<std::vector<Point>> parse_points(std::string_view csv, std::string_view where) {
  const auto rows = TRY(parse_csv(csv, where));
  const std::vector<std::string> expected(kColumns.begin(), kColumns.end());
  if (rows.empty() || rows.front().cells != expected) {
    return fail(ErrorCode::bad_input, fmt::format("the header is not {}", fmt::join(kColumns, ",")),
                fmt::format("{}:1", where));
  }
  std::vector<Point> points;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    auto point = TRY(parse_row(rows[i], where));
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace rooftile::measure
