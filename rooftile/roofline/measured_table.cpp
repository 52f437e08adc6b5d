// Layer tables with times and counters as measured kernels.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/roofline/measured.hpp"
#include "rooftile/workload/dtype.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile::roofline {
namespace {

struct TimeColumn {
  std::string_view name;
  double seconds;
};
constexpr std::array<TimeColumn, 3> kTimes = {TimeColumn{"time_us", 1e-6}, {"time_ms", 1e-3}, {"time_s", 1}};

// Columns that say which layer a row is, in the order in which its name has them.
constexpr std::array<std::string_view, 21> kGeometry = {
    "N",     "C",     "H",      "W",     "K",      "R",     "S",        "stride_h", "M",    "cell",   "batch",
    "steps", "input", "hidden", "q_len", "kv_len", "heads", "head_dim", "kind",     "rows", "columns"};

// A row's cells by name, and the first thing that is wrong with them.
class Row {
 public:
  Row(const std::vector<std::string>& header, const CsvRow& row) : header_(header), row_(row) {}

  std::string_view text(std::string_view column) const {
    const auto found = std::find(header_.begin(), header_.end(), column);
    const auto place = static_cast<std::size_t>(found - header_.begin());
    return place < row_.cells.size() && found != header_.end() ? std::string_view(row_.cells[place]) : "";
  }

  // Nothing for an empty cell; a cell that is no number from zero up is an error.
  std::optional<double> amount(std::string_view column) {
    const std::string_view cell = text(column);
    if (cell.empty()) return std::nullopt;
    const auto number = parse_number(cell);
    if (!number || *number < 0) {
      if (error_.empty())
        error_ = fmt::format("column {}: '{}' is not a number of at least 0", column, one_line(cell, 40));
      return std::nullopt;
    }
    return number;
  }

  void fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
  }
  const std::string& error() const { return error_; }

 private:
  const std::vector<std::string>& header_;
  const CsvRow& row_;
  std::string error_;
};

Seconds time_of(Row& row) {
  for (const TimeColumn& column : kTimes) {
    const auto time = row.amount(column.name);
    if (!time) continue;
    if (*time == 0) row.fail(fmt::format("column {}: no time", column.name));
    return Seconds(*time * column.seconds);
  }
  row.fail("no time");
  return {};
}

std::string name_of(const Row& row) {
  const std::string_view op = row.text("op");
  if (op == "kernel") return one_line(row.text("kernel"), 1000);
  std::string name = one_line(op);
  for (const std::string_view column : kGeometry) {
    if (!row.text(column).empty()) name += fmt::format(" {}={}", column, one_line(row.text(column), 40));
  }
  return name;
}

Peak unit_of(const Row& row, bool tensor) {
  const auto precision = parse_dtype(row.text("precision"));
  if (!tensor) return precision == DType::fp16 ? Peak::fp16 : (precision == DType::fp64 ? Peak::fp64 : Peak::fp32);
  if (precision == DType::bf16) return Peak::tensor_bf16;
  if (precision == DType::tf32) return Peak::tensor_tf32;
  if (precision == DType::fp8) return Peak::tensor_fp8;
  if (precision && is_fp4(*precision)) return Peak::tensor_fp4;
  if (precision == DType::int8) return Peak::tensor_int8;
  return Peak::tensor_fp16;
}

void add_flops(Kernel& kernel, Row& row) {
  const auto tensor = row.amount("flop_tensor_core");
  auto lanes = row.amount("flop_cuda_core");
  if (const auto all = row.amount("flop_measured"); all && !lanes) {
    // Both are printed to so many digits: what is left may be a little below nothing.
    lanes = std::max(0.0, *all - tensor.value_or(0));
  }
  kernel.flops_known = tensor || lanes;
  const Peak lane_unit = unit_of(row, false), tensor_unit = unit_of(row, true);
  kernel.flops[static_cast<std::size_t>(lane_unit)] = Flops(lanes.value_or(0));
  kernel.flops[static_cast<std::size_t>(tensor_unit)] = Flops(tensor.value_or(0));
  kernel.unit = tensor.value_or(0) > lanes.value_or(0) ? tensor_unit : lane_unit;
}

std::optional<Bytes> bytes_at(Row& row, std::string_view level) {
  const auto bytes = row.amount(lower_case(level) + "_bytes_measured");
  return bytes ? std::optional(Bytes(*bytes)) : std::nullopt;
}

Kernel kernel_of(Row& row, const Roof& roof) {
  Kernel kernel;
  kernel.origin = Origin::measured;
  kernel.name = name_of(row);
  if (row.text("op") != "kernel") kernel.layer = kernel.name;
  kernel.op = one_line(row.text("op"));
  const auto phase = parse_phase(row.text("pass"));
  if (phase && passes_of(*phase).size() == 1) {
    kernel.pass = passes_of(*phase).front();
  } else if (!row.text("pass").empty()) {
    kernel.name += fmt::format(" {}", one_line(row.text("pass"), 40));
  }
  if (!row.text("framework").empty()) kernel.name += fmt::format(", {}", one_line(row.text("framework"), 60));
  kernel.time = time_of(row);
  const auto launches = row.amount("kernel_launches");
  kernel.launches = launches ? *launches : row.amount("launches").value_or(1);
  add_flops(kernel, row);
  for (const RoofLevel& level : roof.levels) kernel.bytes.push_back(bytes_at(row, level.name));
  if (kernel.name.empty()) row.fail("no name");
  return kernel;
}

bool has(const std::vector<std::string>& header, std::string_view column) {
  return std::find(header.begin(), header.end(), column) != header.end();
}

}  // namespace

bool is_measured_table(std::string_view csv) {
  const auto header = parse_csv(csv.substr(0, csv.find('\n')), "");
  if (!header || header->empty() || !has(header->front().cells, "op")) return false;
  return std::any_of(kTimes.begin(), kTimes.end(),
                     [&](const TimeColumn& column) { return has(header->front().cells, column.name); });
}

Result<MeasuredKernels> kernels_of_table(std::string_view csv, std::string_view where, const Gpu& gpu, const Roof& roof,
                                         std::optional<DType> precision) {
  const auto rows = TRY(parse_csv(csv, where));
  MeasuredKernels measured;
  std::size_t others = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& cells = rows[i];
    Row row(rows.front().cells, cells);
    Kernel kernel = kernel_of(row, roof);
    if (const std::string_view other = row.text("gpu"); !other.empty() && other != gpu.id) {
      row.fail(fmt::format("measured on {}, not on {}", one_line(other, 60), gpu.id));
    }
    if (cells.cells.size() != rows.front().cells.size()) {
      row.fail(fmt::format("{} cells, the header has {}", cells.cells.size(), rows.front().cells.size()));
    }
    if (std::string reason = absurdity(kernel); !reason.empty()) row.fail(std::move(reason));
    if (!row.error().empty()) {
      measured.drop(fmt::format("{}:{}", where, cells.line), row.error());
      continue;
    }
    if (const auto own = parse_dtype(row.text("precision")); precision && own && *own != *precision) {
      ++others;
      continue;
    }
    measured.kernels.push_back(std::move(kernel));
    measured.shapes.emplace_back();
    measured.start.emplace_back();
  }
  if (others > 0) measured.notes.push_back(fmt::format("{}: rows of another precision, left out: {}.", where, others));
  if (measured.kernels.empty()) {
    const std::string why =
        measured.dropped.empty() ? "it has no row" : "the first: " + measured.dropped.front().reason;
    return fail(ErrorCode::bad_input, "no row that can be used; " + why, std::string(where));
  }
  return measured;
}

}  // namespace rooftile::roofline
