#include "rooftile/server/arrivals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr double kLongest = 1e9;  // seconds
constexpr std::int64_t kMostTokens = 10'000'000;

class ArrivalReader {
 public:
  explicit ArrivalReader(std::string_view where) : where_(where) {}

  Result<std::vector<Request>> read(const std::vector<CsvRow>& rows) {
    TRY(find_columns(rows.front()));
    std::vector<Request> requests;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const CsvRow& row = rows[i];
      Request request;
      request.arrival = Seconds(TRY(number(row, 0, 0, kLongest)));
      request.input_tokens = TRY(tokens(row, 1));
      request.output_tokens = TRY(tokens(row, 2));
      if (!requests.empty() && request.arrival < requests.back().arrival) {
        return bad(row.line, fmt::format("arrival_s {:g} is before that of the row above, {:g}",
                                         request.arrival.value(), requests.back().arrival.value()));
      }
      requests.push_back(request);
    }
    if (requests.empty()) return fail(ErrorCode::bad_input, "the table has no requests", std::string(where_));
    return requests;
  }

 private:
  static constexpr std::array<const char*, 3> kNames = {"arrival_s", "input_tokens", "output_tokens"};

  tl::unexpected<Error> bad(std::size_t line, std::string message) const {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("{}:{}", where_, line));
  }

  Result<void> find_columns(const CsvRow& header) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const auto found = std::find(header.cells.begin(), header.cells.end(), kNames[i]);
      if (found == header.cells.end()) return bad(header.line, fmt::format("column {} is missing", kNames[i]));
      columns_[i] = static_cast<std::size_t>(found - header.cells.begin());
    }
    return {};
  }

  Result<double> number(const CsvRow& row, std::size_t which, double least, double most) const {
    const std::string cell = columns_[which] < row.cells.size() ? row.cells[columns_[which]] : "";
    const auto value = parse_number(cell);
    if (value && *value >= least && *value <= most) return *value;
    return bad(row.line,
               fmt::format("{} '{}' is no number from {:g} to {:g}", kNames[which], one_line(cell), least, most));
  }

  Result<std::int64_t> tokens(const CsvRow& row, std::size_t which) const {
    const double value = TRY(number(row, which, 1, static_cast<double>(kMostTokens)));
    return static_cast<std::int64_t>(value);
  }

  std::string_view where_;
  std::array<std::size_t, 3> columns_{};
};

}  // namespace

std::vector<Request> poisson_arrivals(double rate, std::size_t count, std::int64_t input_tokens,
                                      std::int64_t output_tokens, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Request> requests(count);
  double now = 0;
  for (Request& request : requests) {
    constexpr int kBits = 11;  // 53 of 64 are a double in [0, 1)
    const double uniform = static_cast<double>(random() >> kBits) * 0x1p-53;
    now -= std::log1p(-uniform) / rate;
    request = {Seconds(now), input_tokens, output_tokens};
  }
  // Exactly the rate: a sample of so many gaps is a few percent off.
  const double scale = now > 0 ? static_cast<double>(count) / rate / now : 1;
  for (Request& request : requests) request.arrival *= scale;
  return requests;
}

Result<std::vector<Request>> read_arrivals(std::string_view csv, std::string_view where) {
  const auto rows = TRY(parse_csv(csv, where));
  if (rows.empty()) return fail(ErrorCode::bad_input, "the file is empty", std::string(where));
  return ArrivalReader(where).read(rows);
}

}  // namespace rooftile
