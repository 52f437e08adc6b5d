// Laying out plain text: columns, shares, bars.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rooftile {

// Columns as a reader sees them: UTF-8 characters, not bytes.
std::size_t width_of(std::string_view text);

// At most `width` columns, cut in the middle with "…": both ends of a layer's name tell it from others.
std::string shorten(std::string_view text, std::size_t width);

enum class Align { left, right };

// Never: what a reader types again, such as a GPU's id. Wraps: sentences, which go on below.
enum class Cut { may, never, wraps, wraps_list };  // a list after its commas

// As wide as the text is: of a file or a pipe, where nothing is to be cut.
constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

// Rows of cells under a header, padded to columns two spaces apart; every line ends without trailing spaces. Where that
// is wider than the page, text (columns aligned left that may be cut) is shortened with "…" in the middle or wrapped,
// the widest first; numbers never are: columns that still do not fit go below, beside the first ones again, as many as
// tell the rows apart. Cells may be of files: control characters in them are escaped.
class TextTable {
 public:
  struct Column {
    std::string header;
    Align align = Align::left;
    Cut cut = Cut::may;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::string text(std::size_t width = kAnyWidth, std::string_view indent = "  ") const;

 private:
  std::vector<std::size_t> widths_within(std::size_t room) const;
  std::size_t keys_within(std::size_t room, const std::vector<std::size_t>& widths) const;
  std::string block(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths,
                    std::string_view indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "12.3 %"; "-" where the whole is nothing.
std::string percent(double part, double whole);

// A bar of at most `width` columns for a share between 0 and 1.
std::string bar(double share, std::size_t width);

// 1234567 as "1,234,567"; a number that is not whole keeps up to three decimals.
std::string grouped(double number);

// "1 row", "1,234 rows"; the noun is one that takes an s.
std::string counted(std::size_t number, std::string_view noun);

// Four significant digits, whole from 1,000 on: "896.8", "14,982".
std::string four_digits(double number);

// `text` broken at spaces, or only after the commas of a list, into lines of at most `width` columns, to which those
// after the first get the indent added.
enum class Breaks { at_spaces, after_commas };
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent,
                    Breaks breaks = Breaks::at_spaces);

// One line of a report, on as many of a page of that width as it takes, the last of which ends, too.
std::string page_line(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace rooftile
