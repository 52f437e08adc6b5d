#include "rooftile/profile/csv_lines.hpp"

#include <algorithm>
#include <utility>

#include "rooftile/base/one_line.hpp"

namespace rooftile::profile {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kToolMessage = "==";
constexpr std::string_view kToolError = "==ERROR==";

// Over how many lines a quoted cell may reach: rule texts of Nsight Compute break lines.
constexpr int kMostLines = 16;

// Up to its end, LF, CRLF or CR, which is taken along.
std::size_t line_length(std::string_view text) {
  const std::size_t feed = std::min(text.find('\n'), text.size());
  const std::size_t end = std::min(text.substr(0, feed).find('\r'), feed);
  if (end == text.size()) return end;
  return end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
}

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

bool has_odd_quotes(std::string_view text) { return std::count(text.begin(), text.end(), '"') % 2 != 0; }

}  // namespace

CsvLines::CsvLines(std::string_view text) : rest_(text) {
  if (rest_.substr(0, kByteOrderMark.size()) == kByteOrderMark) rest_.remove_prefix(kByteOrderMark.size());
}

std::string_view CsvLines::take_line() {
  const std::string_view taken = rest_.substr(0, line_length(rest_));
  rest_.remove_prefix(taken.size());
  ++line_;
  return taken;
}

std::optional<CsvLine> CsvLines::next() {
  while (!rest_.empty()) {
    const std::string_view first = take_line();
    const std::string_view text = without_end(first);
    if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (text.substr(0, kToolMessage.size()) == kToolMessage) {
      if (text.substr(0, kToolError.size()) == kToolError) {
        tool_errors_.push_back(one_line(text.substr(std::min(text.size(), kToolError.size() + 1))));
      }
      continue;
    }
    CsvLine line{line_, text, {}, {}};
    std::string_view whole = text;
    const std::string_view rest_before = rest_;
    const std::size_t line_before = line_;
    for (int i = 1; i < kMostLines && has_odd_quotes(whole) && !rest_.empty(); ++i) {
      const std::string_view more = take_line();
      whole = without_end(
          std::string_view(first.data(), static_cast<std::size_t>(more.data() + more.size() - first.data())));
    }
    auto rows = parse_csv(whole, "");
    if (rows && rows->size() == 1) {
      line.cells = std::move(rows->front().cells);
      return line;
    }
    line.reason = rows ? "more than one row" : rows.error().message;
    rest_ = rest_before;  // what follows stands for itself
    line_ = line_before;
    return line;
  }
  return std::nullopt;
}

std::optional<std::size_t> column(const std::vector<std::string>& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

}  // namespace rooftile::profile
