#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"
#include "rooftile/store/foreign_rows.hpp"

namespace rooftile::store {
namespace {

constexpr std::array kProfileColumns = {"op",
                                        "gpu",
                                        "framework",
                                        "precision",
                                        "kernel",
                                        "launches",
                                        "time_us",
                                        "grid_x",
                                        "grid_y",
                                        "grid_z",
                                        "block_threads",
                                        "framework_op",
                                        "input_shapes",
                                        "compute_capability",
                                        "flop_fp32",
                                        "flop_fp16",
                                        "flop_tensor_core",
                                        "l1_bytes_measured",
                                        "l2_bytes_measured",
                                        "dram_bytes_measured"};

// As many digits as clocks and counters have, without the noise of a change of unit.
std::string cell(double number) { return fmt::format("{:.10g}", number); }

template <class T>
std::string cell(const std::optional<T>& quantity) {
  return quantity ? cell(quantity->value()) : std::string();
}

std::string shapes(const std::vector<std::vector<std::int64_t>>& all) {
  std::string text;
  for (const auto& shape : all) text += fmt::format("{}{}", text.empty() ? "" : ";", fmt::join(shape, "x"));
  return text;
}

CsvRow row_of(const profile::KernelProfile& kernel) {
  const profile::KernelCounters counters = profile::counters(kernel);
  const auto extent = [](const auto& size, std::size_t axis) { return size ? std::to_string((*size)[axis]) : ""; };
  std::string threads;
  if (kernel.block) threads = std::to_string((*kernel.block)[0] * (*kernel.block)[1] * (*kernel.block)[2]);
  constexpr double kMicro = 1e6;
  return {kernel.line,
          {"kernel",
           "",
           "",
           "",
           kernel.name,
           cell(kernel.launches),
           kernel.time ? cell(kernel.time->value() * kMicro) : "",
           extent(kernel.grid, 0),
           extent(kernel.grid, 1),
           extent(kernel.grid, 2),
           threads,
           kernel.op,
           shapes(kernel.input_shapes),
           kernel.compute_capability,
           cell(counters.fp32),
           cell(counters.fp16),
           cell(counters.tensor),
           cell(counters.l1),
           cell(counters.l2),
           cell(counters.dram)}};
}

}  // namespace

Result<ForeignRows> profile_rows(std::string_view text, std::string_view where) {
  const auto profile = TRY(profile::read_profile(text, where));
  if (profile.predicted) {
    return fail(ErrorCode::bad_input, "a timeline that Rooftile predicted holds no measurements", std::string(where));
  }
  ForeignRows result;
  result.format = profile.format;
  result.header = {1, {kProfileColumns.begin(), kProfileColumns.end()}};
  for (const profile::KernelProfile& kernel : profile.kernels) result.rows.push_back(row_of(kernel));
  if (profile.dropped_count > 0) {
    result.notes.push_back(fmt::format("{} record{} left out, the first of line {}: {}", profile.dropped_count,
                                       profile.dropped_count == 1 ? "" : "s", profile.dropped.front().line,
                                       profile.dropped.front().reason));
  }
  return result;
}

}  // namespace rooftile::store
