#include "rooftile/base/csv.hpp"

#include <algorithm>
#include <utility>

#include <csv.h>
#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/parse_number.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Before a text that a spreadsheet would run.
constexpr char kMark = '\'';

// Whether the cell begins as a formula does, after marks or none.
bool looks_like_formula(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(kMark);
  constexpr std::string_view kFormula = "=+-@\t\r\n";
  return first != std::string_view::npos && cell.size() > first + 1 &&
         kFormula.find(cell[first]) != std::string_view::npos;
}

bool is_number(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  return parse_number(cell).has_value();
}

// csv_parser::pstate between two rows: no cell has begun.
constexpr int kBetweenRows = 0;

class Parser {
 public:
  // Blanks belong to their cell (RFC 4180, section 2.4); libcsv would trim them.
  Parser() {
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_space_func(&parser_, [](unsigned char) { return 0; });
    csv_set_blk_size(&parser_, 1 << 16);
  }
  ~Parser() { csv_free(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Line by line, so that each row knows where it begins. False: not CSV.
  bool feed_line(std::string_view text, std::size_t line) {
    if (between_rows()) row_.line = line;
    return csv_parse(&parser_, text.data(), text.size(), &on_cell, &on_row, this) == text.size();
  }
  bool finish() { return csv_fini(&parser_, &on_cell, &on_row, this) == 0; }

  bool between_rows() const { return parser_.pstate == kBetweenRows; }
  std::size_t row_line() const { return row_.line; }
  std::string reason() { return csv_error(&parser_) == CSV_EPARSE ? "misplaced quote" : "out of memory"; }
  // The rows so far, which are then forgotten.
  std::vector<CsvRow> take() { return std::exchange(rows_, {}); }

 private:
  static void on_cell(void* text, std::size_t size, void* self) {
    std::string_view cell(static_cast<const char*>(text), size);
    if (cell.starts_with(kMark) && looks_like_formula(cell)) cell.remove_prefix(1);
    static_cast<Parser*>(self)->row_.cells.emplace_back(cell);
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

// Feeds lines to the parser and counts them.
class Lines {
 public:
  explicit Lines(std::string_view where) : where_(where) {}

  // Takes the lines of `text`, the last one only if it has its end or `last` says that there is none to come; how many
  // bytes that was.
  Result<std::size_t> take(std::string_view text, bool last) {
    std::size_t taken = 0;
    if (!begun_ && text.substr(0, kByteOrderMark.size()) == kByteOrderMark) taken = kByteOrderMark.size();
    begun_ = true;
    while (taken < text.size()) {
      const std::string_view rest = text.substr(taken), line = rest.substr(0, line_length(rest));
      // A CR at the very end may be half of a CRLF.
      if (!last && line.size() == rest.size() && line.back() != '\n') break;
      if (line.find('\0') != std::string_view::npos) {
        return fail(ErrorCode::bad_input, "a NUL byte; CSV is text, in UTF-8", at(line_));
      }
      if (!parser_.feed_line(line, line_)) return fail(ErrorCode::bad_input, parser_.reason(), at(line_));
      taken += line.size();
      row_bytes_ = parser_.between_rows() ? 0 : row_bytes_ + line.size();
      ++line_;
    }
    return taken;
  }

  Result<std::vector<CsvRow>> finish() {
    if (!parser_.finish()) return fail(ErrorCode::bad_input, "unclosed quote", at(parser_.row_line()));
    return parser_.take();
  }

  std::vector<CsvRow> rows() { return parser_.take(); }
  std::string at(std::size_t line) const { return fmt::format("{}:{}", where_, line); }
  bool begun() const { return begun_; }
  std::size_t line() const { return line_; }

  // Of a row whose end is still to come.
  std::size_t row_bytes() const { return row_bytes_; }

 private:
  std::string where_;
  Parser parser_;
  bool begun_ = false;  // the byte order mark, if any, is behind
  std::size_t line_ = 1, row_bytes_ = 0;
};

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view where) {
  Lines lines(where);
  TRY(lines.take(text, true));
  return lines.finish();
}

struct CsvReader::State {
  explicit State(std::string_view where) : lines(where) {}

  Lines lines;
  std::string rest;  // of a line whose end is still to come
};

CsvReader::CsvReader(std::string_view where) : state_(std::make_unique<State>(where)) {}
CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

Result<std::vector<CsvRow>> CsvReader::feed(std::string_view text) {
  state_->rest += text;
  // So that the byte order mark is seen whole.
  if (!state_->lines.begun() && state_->rest.size() < kByteOrderMark.size()) return std::vector<CsvRow>();
  const auto taken = TRY(state_->lines.take(state_->rest, false));
  state_->rest.erase(0, taken);
  if (state_->rest.size() + state_->lines.row_bytes() > kMaxRow) {
    return fail(ErrorCode::bad_input, fmt::format("a row of more than {} bytes", kMaxRow),
                state_->lines.at(state_->lines.line()));
  }
  return state_->lines.rows();
}

Result<std::vector<CsvRow>> CsvReader::finish() {
  TRY(state_->lines.take(state_->rest, true));
  return state_->lines.finish();
}

namespace {

// As most cells are: printable ASCII that needs no quotes.
bool is_bare(std::string_view cell) {
  return std::all_of(cell.begin(), cell.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != ',' && c != '"'; });
}

bool needs_quotes(std::string_view cell) {
  if (is_bare(cell)) return false;
  return cell.find_first_of(",\"\r\n") != std::string_view::npos || has_control_characters(cell);
}

}  // namespace

void append_csv_cell(std::string_view cell, std::string& text) {
  const bool mark = looks_like_formula(cell) && !is_number(cell);
  if (!needs_quotes(cell)) {
    if (mark) text += kMark;
    text += cell;
    return;
  }
  text += '"';
  if (mark) text += kMark;
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

std::string write_csv_row(std::span<const std::string> cells) {
  // A lone empty cell is quoted, because a blank line is no row.
  if (cells.size() == 1 && cells[0].empty()) return "\"\"\n";
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) row += ',';
    append_csv_cell(cells[i], row);
  }
  row += '\n';
  return row;
}

}  // namespace rooftile
