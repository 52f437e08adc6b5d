// CSV of AMD's profilers: rocprof's results.csv, rocprofv3's kernel_trace.csv and counter_collection.csv (ROCm
// documentation of rocprof and "Using rocprofv3"). Grids are counted in work-items there; here in workgroups.
#include <algorithm>
#include <array>
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
#include "rooftile/profile/readers.hpp"

namespace rooftile::profile {
namespace {

constexpr double kNanosecond = 1e-9;

// Columns of results.csv that are no counters.
constexpr std::array<std::string_view, 25> kResultColumns = {
    "Index", "KernelName", "gpu-id",  "queue-id",  "queue-index", "pid",        "tid",           "grd",       "wgr",
    "lds",   "scr",        "vgpr",    "arch_vgpr", "accum_vgpr",  "sgpr",       "fbar",          "wave_size", "sig",
    "obj",   "DispatchNs", "BeginNs", "EndNs",     "CompleteNs",  "DurationNs", "Correlation_ID"};

// Extents in work-items and of a workgroup, as extents in workgroups; nothing if they do not fit.
std::optional<std::array<std::int64_t, 3>> in_workgroups(const std::optional<std::array<std::int64_t, 3>>& items,
                                                         const std::optional<std::array<std::int64_t, 3>>& group) {
  if (!items || !group) return std::nullopt;
  std::array<std::int64_t, 3> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = ((*items)[i] + (*group)[i] - 1) / (*group)[i];
  return groups;
}

class RocprofReader {
 public:
  RocprofReader(std::string_view text, const ProfileOptions& options) : text_(text), options_(options) {}

  Profile read() {
    CsvLines lines(text_);
    while (const auto line = lines.next()) {
      if (!line->cells.empty() && is_rocprof_header(line->cells)) {
        begin_table(line->cells);
      } else if (!columns_.header().empty()) {
        read_row(*line);
      }
    }
    drop_timeless();
    return std::move(profile_);
  }

 private:
  void begin_table(const std::vector<std::string>& header) {
    columns_ = CsvColumns(header);
    results_ = columns_.has("KernelName");
    counters_ = columns_.has("Counter_Name");
    by_dispatch_.clear();
    metrics_.clear();
    for (std::size_t i = 0; results_ && i < header.size(); ++i) {
      if (std::find(kResultColumns.begin(), kResultColumns.end(), header[i]) == kResultColumns.end()) {
        metrics_.emplace_back(i, names_->number(header[i]));
      }
    }
    profile_.format = results_    ? "rocprof CSV, results"
                      : counters_ ? "rocprofv3 CSV, counter collection"
                                  : "rocprofv3 CSV, kernel trace";
  }

  void read_row(const CsvLine& row) {
    if (row.cells.empty()) return profile_.drop(row.line, row.reason);
    if (row.cells.size() != columns_.header().size()) {
      return profile_.drop(row.line,
                           fmt::format("{} cells where the header has {}", row.cells.size(), columns_.header().size()));
    }
    if (results_) {
      KernelProfile kernel = new_kernel(row, "KernelName", "BeginNs", "EndNs");
      set_launch(kernel, one_dimension(row, "grd"), one_dimension(row, "wgr"));
      for (const auto& [cell, number] : metrics_) set_metric(kernel, row, number, row.cells[cell]);
      keep(std::move(kernel));
    } else if (counters_) {
      read_counter(row);
    } else {
      KernelProfile kernel = new_kernel(row, "Kernel_Name", "Start_Timestamp", "End_Timestamp");
      set_launch(kernel, columns_.extent(row, {"Grid_Size_X", "Grid_Size_Y", "Grid_Size_Z"}),
                 columns_.extent(row, {"Workgroup_Size_X", "Workgroup_Size_Y", "Workgroup_Size_Z"}));
      if (!kernel.time) return profile_.drop(row.line, "no time: Start_Timestamp and End_Timestamp must be numbers");
      keep(std::move(kernel));
    }
  }

  // One row a counter: the rows of a dispatch make one kernel.
  void read_counter(const CsvLine& row) {
    const std::string key =
        std::string(columns_.text(row, "Process_Id")).append("\n").append(columns_.text(row, "Dispatch_Id"));
    const auto [place, is_new] = by_dispatch_.emplace(key, profile_.kernels.size());
    if (is_new) {
      KernelProfile kernel = new_kernel(row, "Kernel_Name", "Start_Timestamp", "End_Timestamp");
      set_launch(kernel, one_dimension(row, "Grid_Size"), one_dimension(row, "Workgroup_Size"));
      if (!keep(std::move(kernel))) return static_cast<void>(by_dispatch_.erase(place));
    }
    KernelProfile& kernel = profile_.kernels[place->second];
    const std::string_view name = columns_.text(row, "Counter_Name");
    if (name.empty()) return profile_.drop(row.line, "a counter without a name");
    const std::size_t number = names_->number(name);
    if (kernel.metrics.find(number)) {
      return profile_.drop(row.line, fmt::format("{} of kernel '{}' appears twice; the first counts",
                                                 one_line(name, 100), one_line(kernel.name, 80)));
    }
    set_metric(kernel, row, number, columns_.text(row, "Counter_Value"));
  }

  std::optional<std::array<std::int64_t, 3>> one_dimension(const CsvLine& row, std::string_view name) const {
    const auto value = columns_.number(row, name);
    const auto whole = value ? positive_integer(*value) : std::nullopt;
    return whole ? std::optional(std::array<std::int64_t, 3>{*whole, 1, 1}) : std::nullopt;
  }

  KernelProfile new_kernel(const CsvLine& row, std::string_view name, std::string_view begin,
                           std::string_view end) const {
    KernelProfile kernel;
    kernel.line = row.line;
    kernel.name = columns_.text(row, name);
    kernel.compute_capability = options_.compute_capability;
    kernel.metrics = MetricSet(names_);
    const auto from = columns_.number(row, begin);
    const auto to = columns_.number(row, end);
    if (from && to && std::isfinite(*from) && std::isfinite(*to)) {
      kernel.start = Seconds(*from * kNanosecond);
      kernel.time = Seconds((*to - *from) * kNanosecond);
    }
    return kernel;
  }

  static void set_launch(KernelProfile& kernel, const std::optional<std::array<std::int64_t, 3>>& items,
                         const std::optional<std::array<std::int64_t, 3>>& group) {
    kernel.block = group;
    kernel.grid = in_workgroups(items, group);
  }

  void set_metric(KernelProfile& kernel, const CsvLine& row, std::size_t number, std::string_view text) {
    if (text.empty()) return;
    const auto value = parse_number(text, DecimalSign::point);
    if (value && is_metric(*value)) return kernel.metrics.set(number, *value);
    profile_.drop(row.line,
                  fmt::format("{} of kernel '{}' is '{}': not a number of at least 0",
                              one_line(names_->name(number), 100), one_line(kernel.name, 80), one_line(text, 40)));
  }

  bool keep(KernelProfile kernel) {
    if (kernel.name.empty()) {
      profile_.drop(kernel.line, "a kernel without a name");
      return false;
    }
    profile_.kernels.push_back(std::move(kernel));
    return true;
  }

  void drop_timeless() {
    std::vector<KernelProfile> kept;
    kept.reserve(profile_.kernels.size());
    for (KernelProfile& kernel : profile_.kernels) {
      if (kernel.time && !(kernel.time->value() > 0)) {
        profile_.drop(kernel.line, fmt::format("kernel '{}' took no time", one_line(kernel.name, 80)));
      } else {
        kept.push_back(std::move(kernel));
      }
    }
    profile_.kernels = std::move(kept);
  }

  std::string_view text_;
  const ProfileOptions& options_;
  Profile profile_;
  std::shared_ptr<MetricNames> names_ = std::make_shared<MetricNames>();
  CsvColumns columns_;
  bool results_ = false;
  bool counters_ = false;
  std::vector<std::pair<std::size_t, std::size_t>> metrics_;  // cell and number of the name, of results.csv
  std::unordered_map<std::string, std::size_t> by_dispatch_;
};

}  // namespace

bool is_rocprof_header(const std::vector<std::string>& cells) {
  const auto has = [&](std::string_view name) { return column(cells, name).has_value(); };
  return (has("KernelName") && has("gpu-id")) ||
         (has("Kernel_Name") && (has("Start_Timestamp") || has("Counter_Name")));
}

Result<Profile> read_rocprof(std::string_view text, std::string_view, const ProfileOptions& options) {
  return RocprofReader(text, options).read();
}

}  // namespace rooftile::profile
