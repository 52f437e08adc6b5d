// What the readers of PyTorch's benchmarks share: the columns of their rows.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/store/foreign_rows.hpp"

namespace rooftile::store {

class BenchmarkRows {
 public:
  explicit BenchmarkRows(std::string format);

  using Cells = std::initializer_list<std::pair<std::string_view, std::string>>;

  // A row with these cells, by column; the others are empty.
  void add(std::size_t line, Cells cells);

  // A measurement that is left out, and why.
  void leave_out(const std::string& reason);

  void set_date(std::string date) { rows_.date = std::move(date); }

  // Error: there is no row.
  Result<ForeignRows> finish(std::string_view where);

 private:
  ForeignRows rows_;
  std::string reason_;
  std::size_t left_out_ = 0;
};

// Seconds as a cell of `time_us`.
std::string microseconds(double seconds);

// JSON of pytest-benchmark and of TorchBench's user benchmarks.
Result<ForeignRows> read_benchmark_json(std::string_view text, std::string_view where);

// The text of torch.utils.benchmark: measurements as they print themselves, and the tables of Compare.
Result<ForeignRows> read_timer_text(std::string_view text, std::string_view where);

// The text of PyTorch's operator benchmark.
Result<ForeignRows> read_operator_benchmark(std::string_view text, std::string_view where);

}  // namespace rooftile::store
