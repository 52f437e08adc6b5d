// What torch.utils.benchmark prints (docs.pytorch.org, torch.utils.benchmark: Measurement and Compare).
//
//   <torch.utils.benchmark.utils.common.Measurement object at 0x7f…>      [----------- label -----------]
//   title                                                                       |  column  |  column
//     Median: 5.73 us                                                     1 threads: ------------------
//     IQR:    2.25 us (4.01 to 6.26)                                            row  |   12.3   |   4.5
//     372 measurements, 100 runs per measurement, 1 thread                Times are in microseconds (us).
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/store/benchmark_rows.hpp"
#include "rooftile/store/text_lines.hpp"

namespace rooftile::store {
namespace {

std::optional<double> unit_of(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}};
  const auto unit = kUnits.find(text);
  return unit == kUnits.end() ? std::nullopt : std::optional(unit->second);
}

// The number that the text begins with, above zero; `rest` is what follows it.
std::optional<double> leading_number(std::string_view text, std::string_view& rest) {
  const auto number = take_number<double>(text);
  if (!number || *number <= 0) return std::nullopt;
  rest = trimmed(text);
  return number;
}

// "5.73 us" in seconds.
std::optional<double> time_of(std::string_view text) {
  std::string_view unit;
  const auto number = leading_number(text, unit);
  const auto scale = number ? unit_of(unit) : std::nullopt;
  return scale ? std::optional(*number * *scale) : std::nullopt;
}

// Without the escape sequences that colour a table.
std::string uncoloured(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\033') {
      text += line[i];
      continue;
    }
    while (i < line.size() && line[i] != 'm') ++i;
  }
  return text;
}

std::vector<std::string> columns_of(std::string_view line) {
  constexpr std::string_view kBetween = "  |  ";
  std::vector<std::string> cells;
  while (true) {
    const std::size_t end = line.find(kBetween);
    cells.emplace_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + kBetween.size());
  }
}

class TimerText {
 public:
  explicit TimerText(std::string_view text) : lines_(text) {}

  Result<ForeignRows> read(std::string_view where) {
    while (const auto raw = lines_.next()) {
      const std::string line = uncoloured(*raw);
      if (line.find("Measurement object at 0x") != std::string::npos) {
        measurement();
      } else if (line.starts_with("[-")) {
        label_ = trimmed(std::string_view(line).substr(1));
        const std::size_t begin = label_.find_first_not_of("- "), end = label_.find_last_not_of("-] ");
        label_ = begin == std::string::npos || end == std::string::npos || end < begin
                     ? ""
                     : label_.substr(begin, end - begin + 1);
        table();
      }
    }
    return rows_.finish(where);
  }

 private:
  // The lines after the one that announces a measurement: its title until the time.
  void measurement() {
    std::string title;
    constexpr int kMostLines = 50;
    for (int i = 0; i < kMostLines; ++i) {
      const auto raw = lines_.next();
      if (!raw) break;
      const std::string line = uncoloured(*raw);
      std::string_view text = trimmed(line);
      constexpr std::string_view kMedian = "Median: ";
      if (text.starts_with(kMedian)) text = trimmed(text.substr(kMedian.size()));
      if (const auto time = time_of(text)) {
        rows_.add(lines_.number(), {{"op", "benchmark"},
                                    {"name", one_line(title)},
                                    {"framework", "PyTorch"},
                                    {"time_us", microseconds(*time)}});
        return;
      }
      if (!text.empty()) title.append(title.empty() ? "" : "; ").append(text);
    }
    rows_.leave_out("no time of " + one_line(title, 60));
  }

  void table() {
    struct Cell {
      std::size_t line;
      std::string name, threads;
      double number;
    };
    std::vector<Cell> cells;
    std::vector<std::string> columns;
    std::string threads = "1";
    while (const auto raw = lines_.next()) {
      const std::string line = uncoloured(*raw);
      const std::string_view text = trimmed(line);
      if (text.starts_with("Times are in ")) {
        const std::size_t begin = text.find('('), end = text.find(')');
        const auto unit = begin < end && end != std::string_view::npos
                              ? unit_of(text.substr(begin + 1, end - begin - 1))
                              : std::nullopt;
        if (!unit) return rows_.leave_out("a table of an unknown unit");
        for (const Cell& cell : cells) {
          rows_.add(cell.line, {{"op", "benchmark"},
                                {"name", cell.name},
                                {"framework", "PyTorch"},
                                {"threads", cell.threads},
                                {"time_us", microseconds(cell.number * *unit)}});
        }
        return;
      }
      const std::size_t mark = text.find(" threads: -");
      if (mark != std::string_view::npos) {
        threads = text.substr(0, mark);
      } else if (columns.empty()) {
        columns = columns_of(line);
      } else {
        const std::vector<std::string> row = columns_of(line);
        for (std::size_t i = 1; i < row.size() && i < columns.size(); ++i) {
          std::string_view rest;
          const auto number = leading_number(row[i], rest);
          if (!number) continue;  // not measured
          std::string name = label_;
          for (const std::string& part : {row[0], columns[i]}) {
            if (!part.empty()) name.append(name.empty() ? "" : "; ").append(part);
          }
          cells.push_back({lines_.number(), one_line(name), threads, *number});
        }
      }
    }
    rows_.leave_out("a table without its unit");
  }

  TextLines lines_;
  BenchmarkRows rows_{"torch.utils.benchmark text"};
  std::string label_;
};

}  // namespace

Result<ForeignRows> read_timer_text(std::string_view text, std::string_view where) {
  return TimerText(text).read(where);
}

}  // namespace rooftile::store
