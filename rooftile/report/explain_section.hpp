// Titled rows of an explanation: "Eq 5  DIST_V  545.5  blk_m x ratio", or a table of its own columns. Private.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/calibration/constants.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/timing/estimate.hpp"

namespace rooftile {

// As displayed, and in base units where it is a number.
struct ExplainedCell {
  std::string text;
  std::optional<double> value = {};
  std::string unit = {};  // of the value: "s", "B/s"; empty: a count or a ratio
};

ExplainedCell cell_of(std::string text);
ExplainedCell cell_of(double number);
ExplainedCell cell_of(Bytes bytes);  // a number of bytes, not of MiB
inline ExplainedCell cell_of(ExplainedCell cell) { return cell; }

// The base unit of a quantity, as print() writes it: "FLOP/s" for that which prints as "1 FLOP/s".
template <class Q>
std::string base_unit() {
  return print(Q(1)).substr(2);
}
template <Dimension D>
ExplainedCell cell_of(Quantity<D> quantity) {
  return {print(quantity), quantity.value(), base_unit<Quantity<D>>()};
}

struct Section {
  enum class Role {
    mark,      // a star where the row is marked
    equation,  // of the paper
    name,      // what the row is of, or a part of it
    quantity,
    other,
    meaning,
  };
  struct Column {
    std::string key;     // in JSON
    std::string header;  // in the table
    Role role;
    Align align = Align::left;
  };
  struct Row {
    std::vector<ExplainedCell> cells;
    bool marked = false;  // what limits the layer, or the plan that is predicted
  };

  explicit Section(std::string name);
  Section(std::string name, std::vector<Column> own_columns)
      : title(std::move(name)), columns(std::move(own_columns)) {}

  template <class Value>
  void add(std::string_view equation, std::string_view symbol, Value value, std::string meaning) {
    ExplainedCell cell = cell_of(std::move(value));
    rows.push_back(
        {{cell_of(std::string(equation)), cell_of(std::string(symbol)), std::move(cell), cell_of(std::move(meaning))}});
  }
  // The time that one thing alone would take; that which limits the layer is marked.
  void add_case(std::string_view equation, Bottleneck which, Bottleneck limit, Seconds time, std::string meaning);

  std::string part;  // of the layer, which this and the sections before and after it of the same part are of
  std::string title;
  std::string note;  // a line below the title
  std::vector<Column> columns;
  std::vector<Row> rows;
};

// Counts of bytes are means of what a cache holds and not: shown whole.
Bytes whole_bytes(Bytes bytes);

// A fact of a GPU as its file has it.
ExplainedCell cell_of(const Fact& fact);

// A constant without its unit, as tables show it.
ExplainedCell cell_of(const ConstantInfo& info, double value);

// All constants of a family.
Section constants_list(std::string title, KernelFamily family, const Constants& constants);

}  // namespace rooftile
