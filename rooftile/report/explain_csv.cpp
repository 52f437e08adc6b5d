// An explanation as CSV: a row a number.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/explanation.hpp"

namespace rooftile {
namespace {

// What the text says in its first line, and the facts of the GPU, as sections like all others.
Section layer_section(const Explanation& explanation) {
  Section section("Layer");
  section.add("", "op", explanation.label, "");
  section.add("", "method", std::string(name_of(explanation.method)), "");
  section.add("", "time", explanation.time, "");
  if (explanation.interval) {
    section.add("", "time_low", explanation.interval->low, "of the 90 % interval");
    section.add("", "time_high", explanation.interval->high, "of the 90 % interval");
  }
  if (explanation.method == Method::none) return section;
  section.add("", "bottleneck", std::string(name_of(explanation.bottleneck)), "");
  section.add("", "ratio_of_calls", explanation.ratio_of_calls, "correction from measured calls");
  return section;
}

Section facts_section(const Explanation& explanation) {
  Section section("GPU facts");
  for (const Fact& fact : explanation.facts) {
    section.add("", fact.key, cell_of(fact), fmt::format("{}: {}", name_of(fact.kind), fact.source));
  }
  return section;
}

// What a row is called, and what it says about itself.
struct RowWords {
  std::string equation, name, meaning;
};

RowWords words_of(const Section& section, const Section::Row& row) {
  RowWords words;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::string& text = row.cells[i].text;
    const Section::Role role = section.columns[i].role;
    if (role == Section::Role::equation) words.equation = text;
    if (role == Section::Role::name) words.name += (words.name.empty() ? "" : " ") + text;
    if (role == Section::Role::meaning) words.meaning = text;
  }
  return words;
}

std::string rows_of(const Explanation& explanation, const Section& section) {
  std::string text;
  for (const Section::Row& row : section.rows) {
    const RowWords words = words_of(section, row);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Section::Column& column = section.columns[i];
      if (column.role != Section::Role::quantity) continue;
      const ExplainedCell& cell = row.cells[i];
      const bool number = cell.value && std::isfinite(*cell.value);
      const std::string symbol = column.key == "quantity" ? words.name : fmt::format("{}: {}", words.name, column.key);
      text += write_csv_row(std::vector<std::string>{
          explanation.gpu, explanation.layer, section.part, section.title, words.equation, symbol,
          number ? fmt::format("{}", *cell.value) : cell.text, cell.unit, words.meaning, row.marked ? "*" : ""});
    }
  }
  return text;
}

}  // namespace

std::string explanation_csv(std::span<const Explanation> explanations) {
  std::string text = write_csv_row(std::vector<std::string>{"gpu", "layer", "part", "section", "equation", "symbol",
                                                            "value", "unit", "meaning", "marked"});
  for (const Explanation& explanation : explanations) {
    text += rows_of(explanation, layer_section(explanation));
    for (const Section& section : explanation.sections) text += rows_of(explanation, section);
    text += rows_of(explanation, facts_section(explanation));
  }
  return text;
}

}  // namespace rooftile
