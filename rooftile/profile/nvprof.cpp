// nvprof's CSV (CUDA "Profiler User's Guide"): metrics and events (a row for each kernel and metric, with least, most
// and mean over the invocations), the GPU trace (a row a launch) and the summary (a row a kernel).
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/profile/csv_table.hpp"
#include "rooftile/profile/metric_unit.hpp"
#include "rooftile/profile/readers.hpp"

namespace rooftile::profile {
namespace {

// "98.5%", "12.3GB/s", "Low (1)": the number in base units; nothing if there is none.
std::optional<double> metric_value(std::string_view text) {
  const std::size_t bracket = text.find(" (");
  if (bracket != std::string_view::npos && text.back() == ')') {  // a level of 0 to 10, with its name
    return parse_number(text.substr(bracket + 2, text.size() - bracket - 3), DecimalSign::point);
  }
  const std::size_t end = text.find_last_of("0123456789.") + 1;  // 0 where there is none
  const auto number = parse_number(text.substr(0, end), DecimalSign::point);
  return number ? std::optional(*number * unit_factor(text.substr(end))) : std::nullopt;
}

// "name [115]" -> "name": older versions put the correlation there.
std::string_view without_correlation(std::string_view name) {
  const std::size_t open = name.rfind(" [");
  if (name.empty() || name.back() != ']' || open == std::string_view::npos) return name;
  const std::string_view inside = name.substr(open + 2, name.size() - open - 3);
  const bool digits = !inside.empty() && inside.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? name.substr(0, open) : name;
}

// "[CUDA memcpy HtoD]", "[CUDA memset]".
bool is_copy(std::string_view name) { return name.substr(0, 6) == "[CUDA "; }

class NvprofReader {
 public:
  NvprofReader(std::string_view text, const ProfileOptions& options) : text_(text), options_(options) {}

  Profile read() {
    CsvLines lines(text_);
    while (const auto line = lines.next()) {
      if (!line->cells.empty() && is_nvprof_header(line->cells)) {
        begin_table(line->cells);
      } else if (!columns_.header().empty()) {
        read_row(*line);
      }
    }
    if (copies_ > 0) profile_.notes.push_back(fmt::format("{} copies and memsets left out", copies_));
    if (overflows_ > 0) {
      profile_.notes.push_back(fmt::format("{} values overflowed a counter (<OVERFLOW>): left out", overflows_));
    }
    return std::move(profile_);
  }

 private:
  enum class Table { metrics, trace, summary };

  void begin_table(const std::vector<std::string>& header) {
    columns_ = CsvColumns(header);
    table_ = columns_.has("Kernel") ? Table::metrics : columns_.has("Start") ? Table::trace : Table::summary;
    units_due_ = table_ != Table::metrics;
    units_ = {};
    profile_.format = table_ == Table::metrics ? "nvprof CSV, metrics"
                      : table_ == Table::trace ? "nvprof CSV, GPU trace"
                                               : "nvprof CSV, summary";
  }

  void read_row(const CsvLine& row) {
    if (row.cells.empty()) return profile_.drop(row.line, row.reason);
    if (row.cells.size() != columns_.header().size()) {
      if (row.cells.size() == 1 && row.text.front() != '"') return;  // what the watched program prints
      return profile_.drop(row.line,
                           fmt::format("{} cells where the header has {}", row.cells.size(), columns_.header().size()));
    }
    if (units_due_) {
      units_due_ = false;
      if (!columns_.number(row, table_ == Table::trace ? "Duration" : "Avg")) {
        units_ = row;
        return;
      }
      profile_.notes.emplace_back("no row of units below the header: seconds assumed");
    }
    if (table_ == Table::metrics) return read_metric(row);
    if (table_ == Table::trace) return read_launch(row);
    read_summary(row);
  }

  // A time in the unit of its column.
  std::optional<Seconds> time(const CsvLine& row, std::string_view name) const {
    const auto value = columns_.number(row, name);
    if (!value) return std::nullopt;
    const double seconds = *value * unit_factor(columns_.text(units_, name));
    return std::isfinite(seconds) ? std::optional<Seconds>(seconds) : std::nullopt;
  }

  void read_metric(const CsvLine& row) {
    const std::string_view name = columns_.text(row, "Kernel");
    if (is_copy(name)) return;
    const std::string key = std::string(columns_.text(row, "Device")).append("\n").append(name);
    auto found = by_kernel_.find(key);
    if (found == by_kernel_.end()) {
      const auto launches = columns_.number(row, "Invocations");
      if (name.empty() || !launches || !positive_integer(*launches)) {
        return profile_.drop(row.line, "a kernel needs a name and a number of invocations from 1 up");
      }
      KernelProfile kernel = new_kernel(row, name);
      kernel.launches = *launches;
      found = by_kernel_.emplace(key, profile_.kernels.size()).first;
      profile_.kernels.push_back(std::move(kernel));
    }
    KernelProfile& kernel = profile_.kernels[found->second];
    const std::string_view metric = columns_.text(row, columns_.has("Metric Name") ? "Metric Name" : "Event Name");
    const std::string_view text = columns_.text(row, "Avg");
    if (text == "<OVERFLOW>" || columns_.text(row, "Max") == "<OVERFLOW>") {
      ++overflows_;
      return;
    }
    const auto value = metric_value(text);
    if (metric.empty() || !value || !is_metric(*value)) {
      return profile_.drop(row.line, fmt::format("{} of kernel '{}' is '{}': not a number of at least 0",
                                                 one_line(metric, 100), one_line(name, 80), one_line(text, 40)));
    }
    kernel.metrics.set(metric, *value);
  }

  void read_launch(const CsvLine& row) {
    const std::string_view name = without_correlation(columns_.text(row, "Name"));
    if (is_copy(name)) {
      ++copies_;
      return;
    }
    KernelProfile kernel = new_kernel(row, name);
    kernel.start = time(row, "Start");
    kernel.time = time(row, "Duration");
    kernel.grid = columns_.extent(row, {"Grid X", "Grid Y", "Grid Z"});
    kernel.block = columns_.extent(row, {"Block X", "Block Y", "Block Z"});
    keep_timed(std::move(kernel));
  }

  void read_summary(const CsvLine& row) {
    const std::string_view type = columns_.text(row, "Type");
    const std::string_view name = columns_.text(row, "Name");
    if (!type.empty() && type != "GPU activities") return;  // calls of the API
    if (is_copy(name)) {
      ++copies_;
      return;
    }
    const auto calls = columns_.number(row, "Calls");
    if (!calls || !positive_integer(*calls)) return profile_.drop(row.line, "no number of calls from 1 up");
    KernelProfile kernel = new_kernel(row, name);
    kernel.launches = *calls;
    kernel.time = time(row, "Avg");
    keep_timed(std::move(kernel));
  }

  KernelProfile new_kernel(const CsvLine& row, std::string_view name) const {
    KernelProfile kernel;
    kernel.line = row.line;
    kernel.name = name;
    kernel.compute_capability = options_.compute_capability;
    kernel.metrics = MetricSet(names_);
    return kernel;
  }

  void keep_timed(KernelProfile kernel) {
    if (kernel.name.empty()) return profile_.drop(kernel.line, "a kernel without a name");
    if (!kernel.time || !(kernel.time->value() > 0)) {
      return profile_.drop(kernel.line, fmt::format("kernel '{}' took no time", one_line(kernel.name, 80)));
    }
    profile_.kernels.push_back(std::move(kernel));
  }

  std::string_view text_;
  const ProfileOptions& options_;
  Profile profile_;
  std::shared_ptr<MetricNames> names_ = std::make_shared<MetricNames>();
  CsvColumns columns_;
  Table table_ = Table::metrics;
  bool units_due_ = false;
  CsvLine units_;
  std::unordered_map<std::string, std::size_t> by_kernel_;  // device and name
  std::size_t copies_ = 0;
  std::size_t overflows_ = 0;
};

}  // namespace

bool is_nvprof_header(const std::vector<std::string>& cells) {
  const auto has = [&](std::string_view name) { return column(cells, name).has_value(); };
  return (has("Kernel") && has("Invocations") && has("Avg")) || (has("Start") && has("Duration") && has("Grid X")) ||
         (has("Time(%)") && has("Calls") && has("Name"));
}

Result<Profile> read_nvprof(std::string_view text, std::string_view, const ProfileOptions& options) {
  return NvprofReader(text, options).read();
}

}  // namespace rooftile::profile
