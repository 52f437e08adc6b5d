#include "rooftile/ingest/csv.hpp"

#include <algorithm>
#include <utility>

#include <csv.h>
#include <fmt/format.h>

namespace rooftile {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// csv_parser::pstate between two rows: no cell has begun.
constexpr int kBetweenRows = 0;

class Parser {
 public:
  // Blanks belong to their cell (RFC 4180, section 2.4); libcsv would trim them.
  Parser() {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_space_func(&parser_, [](unsigned char) { return 0; });
    csv_set_blk_size(&parser_, 4096);
  }
  ~Parser() { csv_free(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Line by line, so that each row knows where it begins. False: not CSV.
  bool feed_line(std::string_view text, std::size_t line) {
    if (parser_.pstate == kBetweenRows) row_.line = line;
    return csv_parse(&parser_, text.data(), text.size(), &on_cell, &on_row, this) == text.size();
  }
  bool finish() { return csv_fini(&parser_, &on_cell, &on_row, this) == 0; }

  std::size_t row_line() const { return row_.line; }
  std::string reason() { return csv_error(&parser_) == CSV_EPARSE ? "a quote out of place" : "out of memory"; }
  std::vector<CsvRow> take() { return std::move(rows_); }

 private:
  static void on_cell(void* text, std::size_t size, void* self) {
    static_cast<Parser*>(self)->row_.cells.emplace_back(static_cast<const char*>(text), size);
  }
  static void on_row(int, void* self) {
    auto* parser = static_cast<Parser*>(self);
    parser->rows_.push_back(std::move(parser->row_));
    parser->row_ = {};
  }

  csv_parser parser_{};
  CsvRow row_;
  std::vector<CsvRow> rows_;
};

// Length of the first line of `text` with its end: LF, CRLF or CR.
std::size_t line_length(std::string_view text) {
  const std::size_t end = text.find_first_of("\r\n");
  if (end == std::string_view::npos) return text.size();
  const bool crlf = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
  return end + (crlf ? 2 : 1);
}

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view where) {
  const auto at = [&](std::size_t line) { return fmt::format("{}:{}", where, line); };
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  Parser parser;
  std::size_t line = 1;
  for (; !text.empty(); ++line) {
    const std::string_view first = text.substr(0, line_length(text));
    if (first.find('\0') != std::string_view::npos) {
      return fail(ErrorCode::bad_input, "a NUL byte; CSV is text, in UTF-8", at(line));
    }
    if (!parser.feed_line(first, line)) return fail(ErrorCode::bad_input, parser.reason(), at(line));
    text.remove_prefix(first.size());
  }
  if (!parser.finish()) return fail(ErrorCode::bad_input, "a quote is never closed", at(parser.row_line()));
  return parser.take();
}

std::string write_csv_row(std::span<const std::string> cells) {
  // A lone empty cell is quoted, because a blank line is no row.
  if (cells.size() == 1 && cells[0].empty()) return "\"\"\n";
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) row += ',';
    if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
      row += cells[i];
      continue;
    }
    row += '"';
    for (const char c : cells[i]) {
      if (c == '"') row += '"';
      row += c;
    }
    row += '"';
  }
  row += '\n';
  return row;
}

}  // namespace rooftile
