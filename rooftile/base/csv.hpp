// CSV as text (RFC 4180): cells in, cells out. A mark (') keeps spreadsheets from running a text: csv.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile {

struct CsvRow {
  std::size_t line = 0;  // on which the row begins, from 1
  std::vector<std::string> cells;
};

// All rows, blank lines left out. Lines end in LF, CRLF or CR; a UTF-8 byte order mark is dropped; blanks belong to
// their cell. Errors: a NUL byte, a quote inside an unquoted cell or after a quoted one, a quote never closed.
Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view where);

// The same of a text that comes piece by piece, so that a large file is never held as a whole.
class CsvReader {
 public:
  explicit CsvReader(std::string_view where);
  ~CsvReader();
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;

  // The rows that end in `text`; what follows the last end of a line waits for the next piece. Errors: those of
  // parse_csv(), and a row of more than kMaxRow bytes. Nothing is to be read after one.
  Result<std::vector<CsvRow>> feed(std::string_view text);

  // The rows that the end of the text ends.
  Result<std::vector<CsvRow>> finish();

  static constexpr std::size_t kMaxRow = std::size_t{16} << 20;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One line with its LF; cells are quoted where they must be, and where they hold control characters.
std::string write_csv_row(std::span<const std::string> cells);

// One cell of a row of several, at the end of `text`, without the comma.
void append_csv_cell(std::string_view cell, std::string& text);

}  // namespace rooftile
