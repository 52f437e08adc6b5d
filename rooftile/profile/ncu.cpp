// Nsight Compute's CSV (docs: "Nsight Compute CLI", command line options --csv, --page, --print-units).
//
// Page raw: a header, a row of units (its ID empty), one row a kernel. Page details: one row a metric. The columns
// before the metrics differ between versions, so all are found by name.
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

#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/profile/csv_lines.hpp"
#include "rooftile/profile/metric_unit.hpp"
#include "rooftile/profile/readers.hpp"

namespace rooftile::profile {
namespace {

// Columns that say which kernel it is; all others of page raw are metrics.
constexpr std::array<std::string_view, 14> kKernelColumns = {
    "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time",  "Context",
    "Stream", "Block Size", "Grid Size",    "Device",    "CC",          "Section Name", "Thread Domain:Push/Pop_Range"};

// The time of a kernel, best first; page details has it under a name for people.
constexpr std::array<std::string_view, 5> kTimeMetrics = {"gpu__time_duration.sum", "gpu__time_duration.avg",
                                                          "gpu__time_duration.max", "gpu__time_duration", "Duration"};
// Cycles over their rate give the time where no duration was recorded (time-based Roofline, arXiv:2009.04598).
constexpr std::string_view kCycles = "sm__cycles_elapsed.avg";
constexpr std::string_view kCycleRate = "sm__cycles_elapsed.avg.per_second";

bool is_kernel_column(std::string_view name) {
  return std::find(kKernelColumns.begin(), kKernelColumns.end(), name) != kKernelColumns.end() ||
         name.substr(0, 3) == "Id:" || name.find("Push/Pop") != std::string_view::npos ||
         name.find("PUSH/POP") != std::string_view::npos || name.find("Start/End") != std::string_view::npos;
}

// "(512, 1, 1)" or "(512,1,1)".
std::optional<std::array<std::int64_t, 3>> parse_extent(std::string_view text) {
  std::array<std::int64_t, 3> extent{};
  if (text.empty() || text.front() != '(') return std::nullopt;
  text.remove_prefix(1);
  for (std::size_t i = 0; i < extent.size(); ++i) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    extent[i] = take_number<std::int64_t>(text).value_or(0);
    if (extent[i] < 1) return std::nullopt;
    if (text.empty() || text.front() != (i + 1 < extent.size() ? ',' : ')')) return std::nullopt;
    text.remove_prefix(1);
  }
  return text.empty() ? std::optional(extent) : std::nullopt;
}

// "1,234 (1: 600; 2: 634)" -> "1,234": values of single units follow in parentheses.
std::string_view without_instances(std::string_view text) {
  const std::size_t at = text.find(" (");
  return at == std::string_view::npos || at == 0 ? text : text.substr(0, at);
}

struct MetricColumn {
  std::size_t cell = 0;
  std::size_t number = 0;  // of its name
  std::string unit{};
  double factor = 1;
};

class NcuReader {
 public:
  NcuReader(std::string_view text, std::string_view where, const ProfileOptions& options)
      : text_(text), where_(where), options_(options) {}

  Result<Profile> read() {
    sign_ = options_.decimal_sign ? *options_.decimal_sign : find_decimal_sign();
    CsvLines lines(text_);
    while (auto line = lines.next()) {
      if (!line->cells.empty() && is_ncu_header(line->cells)) {
        TRY(begin_table(*line));
      } else if (!header_.empty()) {
        read_line(*line);
      }
    }
    finish();
    for (const std::string& error : lines.tool_errors()) profile_.notes.push_back("Nsight Compute said: " + error);
    return std::move(profile_);
  }

 private:
  // Cells of `line` that may hold numbers of the metrics, for `use`, which returns false to stop.
  template <class Use>
  void each_number(Use use) const {
    CsvLines lines(text_);
    std::vector<std::string> header;
    std::optional<std::size_t> value;
    while (const auto line = lines.next()) {
      if (!line->cells.empty() && is_ncu_header(line->cells)) {
        header = line->cells;
        value = column(header, "Metric Value");
      } else {
        for (std::size_t i = 0; i < std::min(header.size(), line->cells.size()); ++i) {
          if (value ? i != *value : is_kernel_column(header[i])) continue;
          if (!use(without_instances(line->cells[i]))) return;
        }
      }
    }
  }

  DecimalSign find_decimal_sign() {
    std::optional<DecimalSign> sign;
    bool ambiguous = false;
    each_number([&](std::string_view text) {
      const DecimalEvidence evidence = decimal_evidence(text);
      ambiguous = ambiguous || evidence.ambiguous;
      sign = evidence.sign;
      return !sign;
    });
    if (!sign && ambiguous) {
      profile_.notes.emplace_back("ambiguous decimal separator: read as a point");
    }
    return sign.value_or(DecimalSign::point);
  }

  Result<void> begin_table(const CsvLine& line) {
    const auto at = fmt::format("{}:{}", where_, line.line);
    header_ = line.cells;
    name_ = *column(header_, "Kernel Name");
    id_ = column(header_, "ID");
    process_ = column(header_, "Process ID");
    grid_ = column(header_, "Grid Size");
    block_ = column(header_, "Block Size");
    capability_ = column(header_, "CC");
    metric_name_ = column(header_, "Metric Name");
    metric_unit_ = column(header_, "Metric Unit");
    metric_value_ = column(header_, "Metric Value");
    by_id_.clear();
    metrics_.clear();
    details_ = metric_name_.has_value();
    if (details_) {
      if (!metric_value_) return fail(ErrorCode::bad_input, missing("Metric Value"), at);
      if (!id_) return fail(ErrorCode::bad_input, missing("ID"), at);
    } else {
      for (std::size_t i = 0; i < header_.size(); ++i) {
        if (!is_kernel_column(header_[i])) metrics_.push_back({i, names_->number(header_[i])});
      }
    }
    profile_.format = details_ ? "Nsight Compute CSV, page details" : "Nsight Compute CSV, page raw";
    units_due_ = !details_;
    // Rows of page details end early: those of metrics leave out the rules' columns.
    least_cells_ = details_ ? 0 : header_.size();
    for (const auto& used :
         {std::optional(name_), id_, process_, grid_, block_, capability_, metric_name_, metric_unit_, metric_value_}) {
      if (used) least_cells_ = std::max(least_cells_, *used + 1);
    }
    return {};
  }

  std::string missing(const std::string& name) const {
    return fmt::format("no column '{}'{}", name, did_you_mean(name, header_));
  }

  void read_line(const CsvLine& line) {
    // What the watched program prints may stand between the rows; a row begins with a quote.
    if (line.text.front() != '"') return;
    if (line.cells.empty()) return profile_.drop(line.line, line.reason);
    if (line.cells.size() < least_cells_ || line.cells.size() > header_.size()) {
      return profile_.drop(line.line,
                           fmt::format("{} cells where the header has {}", line.cells.size(), header_.size()));
    }
    if (units_due_) {
      units_due_ = false;
      if (id_ && line.cells[*id_].empty()) return read_units(line);
      profile_.notes.emplace_back("no row of units below the header: base units assumed");
    }
    if (details_) {
      read_metric(line);
    } else if (KernelProfile* kernel = new_kernel(line)) {
      for (const MetricColumn& metric : metrics_) {
        set_metric(*kernel, line.line, metric.number, line.cells[metric.cell], metric.unit, metric.factor);
      }
    }
  }

  void read_units(const CsvLine& line) {
    for (MetricColumn& metric : metrics_) {
      metric.unit = line.cells[metric.cell];
      metric.factor = unit_factor(metric.unit);
    }
  }

  void read_metric(const CsvLine& line) {
    const std::string& name = line.cells[*metric_name_];
    if (name.empty()) return;  // a rule's advice
    const std::string key = key_of(line);
    const auto found = by_id_.find(key);
    KernelProfile* kernel = found == by_id_.end() ? new_kernel(line)
                            : found->second < 0   ? nullptr
                                                  : &profile_.kernels[static_cast<std::size_t>(found->second)];
    if (kernel == nullptr) return;
    if (kernel->name != line.cells[name_]) {
      return profile_.drop(line.line, fmt::format("ID {} belongs to kernel '{}' and to another",
                                                  one_line(line.cells[*id_], 20), one_line(kernel->name, 80)));
    }
    const std::string unit = metric_unit_ ? line.cells[*metric_unit_] : "";
    set_metric(*kernel, line.line, names_->number(name), line.cells[*metric_value_], unit, unit_factor(unit));
  }

  std::string key_of(const CsvLine& line) const {
    return (process_ ? line.cells[*process_] : std::string()) + '\n' + line.cells[*id_];
  }

  // Null where the row is dropped.
  KernelProfile* new_kernel(const CsvLine& line) {
    if (id_) {
      const auto [place, is_new] = by_id_.emplace(key_of(line), static_cast<std::ptrdiff_t>(profile_.kernels.size()));
      if (!is_new) {
        profile_.drop(line.line,
                      fmt::format("kernel {} appears twice; the first counts", one_line(line.cells[*id_], 20)));
        return nullptr;
      }
      if (line.cells[name_].empty()) place->second = -1;
    }
    if (line.cells[name_].empty()) {
      profile_.drop(line.line, "a kernel without a name");
      return nullptr;
    }
    KernelProfile kernel;
    kernel.line = line.line;
    kernel.name = line.cells[name_];
    kernel.compute_capability = options_.compute_capability;
    if (capability_ && !line.cells[*capability_].empty()) kernel.compute_capability = line.cells[*capability_];
    if (grid_) kernel.grid = parse_extent(line.cells[*grid_]);
    if (block_) kernel.block = parse_extent(line.cells[*block_]);
    kernel.metrics = MetricSet(names_);
    profile_.kernels.push_back(std::move(kernel));
    return &profile_.kernels.back();
  }

  void set_metric(KernelProfile& kernel, std::size_t line, std::size_t number, std::string_view text,
                  std::string_view unit, double factor) {
    text = without_instances(text);
    const auto why_not = [&](std::string_view reason) {
      profile_.drop(line, fmt::format("{} of kernel '{}' is {}", one_line(names_->name(number), 100),
                                      one_line(kernel.name, 80), reason));
    };
    if (text.empty()) return;
    const auto value = parse_number(text, sign_);
    if (!value) {
      if (text == "n/a" || text == "N/A" || text == "no data") {
        ++not_available_;
      } else if (!unit.empty() || text.find_first_not_of("0123456789.,+- ") == std::string_view::npos) {
        why_not(fmt::format("'{}': not a number", one_line(text, 40)));
      }
      return;  // else text, as "CachePreferNone" is
    }
    if (*value < 0) return why_not("negative");
    if (!is_metric(*value * factor)) return why_not("not finite");
    const auto before = kernel.metrics.find(number);
    if (before && *before != *value * factor) return;  // two sections round the same metric differently
    kernel.metrics.set(number, *value * factor);
  }

  // The times, once every metric is there; kernels that took no time go.
  void finish() {
    std::vector<KernelProfile> kept;
    kept.reserve(profile_.kernels.size());
    for (KernelProfile& kernel : profile_.kernels) {
      for (const std::string_view name : kTimeMetrics) {
        if (const auto time = kernel.metric(name); time && !kernel.time) kernel.time = Seconds(*time);
      }
      const auto cycles = kernel.metric(kCycles);
      const auto rate = kernel.metric(kCycleRate);
      if (!kernel.time && cycles && rate && *rate > 0) kernel.time = Seconds(*cycles / *rate);
      if (kernel.time && kernel.time->value() <= 0) {
        profile_.drop(kernel.line, fmt::format("kernel '{}' took no time", one_line(kernel.name, 80)));
      } else {
        kept.push_back(std::move(kernel));
      }
    }
    profile_.kernels = std::move(kept);
    if (not_available_ > 0) profile_.notes.push_back(fmt::format("{} values are not available (n/a)", not_available_));
  }

  std::string_view text_;
  std::string_view where_;
  const ProfileOptions& options_;
  Profile profile_;
  DecimalSign sign_ = DecimalSign::point;
  std::shared_ptr<MetricNames> names_ = std::make_shared<MetricNames>();

  std::vector<std::string> header_;
  bool details_ = false;
  bool units_due_ = false;
  std::size_t least_cells_ = 0;
  std::size_t name_ = 0;
  std::optional<std::size_t> id_, process_, grid_, block_, capability_, metric_name_, metric_unit_, metric_value_;
  std::vector<MetricColumn> metrics_;                      // of page raw
  std::unordered_map<std::string, std::ptrdiff_t> by_id_;  // position of a kernel; -1: dropped
  std::size_t not_available_ = 0;
};

}  // namespace

bool is_ncu_header(const std::vector<std::string>& cells) {
  const auto has = [&](std::string_view name) { return column(cells, name).has_value(); };
  return has("Kernel Name") && (has("ID") || has("Metric Name"));
}

Result<Profile> read_ncu(std::string_view text, std::string_view where, const ProfileOptions& options) {
  return NcuReader(text, where, options).read();
}

}  // namespace rooftile::profile
