#include "rooftile/store/benchmark_rows.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

namespace rooftile::store {
namespace {

constexpr std::array kBenchmarkColumns = {
    "op", "name",  "kind",  "model",    "gpu",      "framework", "precision", "pass",    "batch",
    "M",  "N",     "K",     "transA",   "transB",   "C",         "H",         "W",       "R",
    "S",  "pad_h", "pad_w", "stride_h", "stride_w", "groups",    "time_us",   "threads", "flag"};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_json(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{';
}

bool is_operator_benchmark(std::string_view text) { return has(text, " Execution Time (us) :"); }

bool is_timer_text(std::string_view text) {
  return has(text, "Measurement object at 0x") || (has(text, "Times are in ") && has(text, "[-"));
}

}  // namespace

BenchmarkRows::BenchmarkRows(std::string format) {
  rows_.format = std::move(format);
  rows_.header = {1, {kBenchmarkColumns.begin(), kBenchmarkColumns.end()}};
}

void BenchmarkRows::add(std::size_t line, Cells cells) {
  CsvRow row{line, std::vector<std::string>(kBenchmarkColumns.size())};
  for (const auto& cell : cells) {
    const auto* column = std::find(kBenchmarkColumns.begin(), kBenchmarkColumns.end(), cell.first);
    assert(column != kBenchmarkColumns.end());
    row.cells[static_cast<std::size_t>(column - kBenchmarkColumns.begin())] = cell.second;
  }
  rows_.rows.push_back(std::move(row));
}

void BenchmarkRows::leave_out(const std::string& reason) {
  if (left_out_++ == 0) reason_ = reason;
}

Result<ForeignRows> BenchmarkRows::finish(std::string_view where) {
  const std::string note = left_out_ == 0 ? ""
                                          : fmt::format("{} measurement{} left out, the first: {}", left_out_,
                                                        left_out_ == 1 ? "" : "s", reason_);
  if (rows_.rows.empty()) {
    return fail(ErrorCode::bad_input,
                fmt::format("{}: nothing to import{}{}", rows_.format, note.empty() ? "" : "; ", note),
                std::string(where));
  }
  if (!note.empty()) rows_.notes.push_back(note);
  return std::move(rows_);
}

std::string microseconds(double seconds) {
  constexpr double kMicro = 1e6;
  return fmt::format("{:.10g}", seconds * kMicro);
}

bool is_benchmark(std::string_view text) {
  if (!is_json(text)) return is_operator_benchmark(text) || is_timer_text(text);
  // A trace of the PyTorch profiler may hold any other word.
  if (has(text, "\"traceEvents\"")) return false;
  return has(text, "\"machine_info\"") || (has(text, "\"environ\"") && has(text, "\"metrics\""));
}

Result<ForeignRows> benchmark_rows(std::string_view text, std::string_view where) {
  if (is_json(text)) return read_benchmark_json(text, where);
  return is_operator_benchmark(text) ? read_operator_benchmark(text, where) : read_timer_text(text, where);
}

}  // namespace rooftile::store
