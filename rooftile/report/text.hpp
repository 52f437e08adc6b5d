// Laying out plain text: columns, shares, bars.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

// Columns as a reader sees them: UTF-8 characters, not bytes.
std::size_t width_of(std::string_view text);

// At most `width` columns, cut in the middle with "…": both ends of a layer's name tell it from others.
std::string shorten(std::string_view text, std::size_t width);

enum class Align { left, right };

// Rows of cells under a header, padded to columns two spaces apart; every line ends without trailing spaces.
class TextTable {
 public:
  struct Column {
    std::string header;
    Align align = Align::left;
    std::size_t max_width = 40;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string text(std::string_view indent = "  ") const;

 private:
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

// `text` broken at spaces into lines of at most `width` columns, each after the first indented.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace rooftile
