// Which rows of a table are meant: conditions on columns, as in `gpu = t4 and (K >= 64 or not pass = fwd)`.
//
//   condition  COLUMN = VALUE, also !=, <, <=, >, >=; COLUMN alone: it says something, but not 0, no or false
//   VALUE      a number, with a unit of the column's or a count's prefix (`time_us < 10 ms`, `K >= 1k`), a word,
//              or text in single or double quotes
//   joined by  not, and, or (binding in this order), and parentheses
//
// Both sides are compared as numbers where both are, else = and != compare text, case counting. An order needs a
// number, and holds for no row whose cell is none.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile {

class Filter {
 public:
  // Errors name the place in `text`, counted in characters from 1.
  static Result<Filter> parse(std::string_view text);

  // As it was parsed.
  const std::string& text() const { return text_; }

  // The columns that conditions name, with the place of each in the text.
  struct Use {
    std::string column;
    std::size_t place = 0;
    bool alone = false;  // compared with nothing
  };
  const std::vector<Use>& columns() const { return columns_; }

  // `cell` gives a column's text; a column that the row does not have is empty.
  bool matches(const std::function<std::string_view(const std::string&)>& cell) const;

  // Whether a row may match of which only some cells are known: false if it cannot, whatever the others are. `known`
  // gives a column's text, or nothing where it is not known.
  bool may_match(const std::function<std::optional<std::string_view>(const std::string&)>& known) const;

 private:
  friend class FilterParser;

  enum class Kind { condition, negation, conjunction, disjunction };
  enum class Relation { yes, equal, unequal, less, at_most, more, at_least };
  struct Node {
    Kind kind = Kind::condition;
    std::size_t left = 0, right = 0;  // nodes; of a negation only the left
    std::size_t column = 0;           // in columns_
    Relation relation = Relation::equal;
    std::string value;
    std::optional<double> number;  // of the value
  };

  using Cell = std::function<std::string_view(const std::string&)>;
  using KnownCell = std::function<std::optional<std::string_view>(const std::string&)>;
  static bool holds(const Node& node, std::string_view text);
  bool matches(const Node& node, const Cell& cell) const;
  // As the known cells decide it; nothing where they do not.
  std::optional<bool> decided(const Node& node, const KnownCell& known) const;

  std::string text_;
  std::vector<Use> columns_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace rooftile
