// The text of an explanation.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/report/explanation.hpp"
#include "rooftile/report/facts.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

// A marked row has its star in the column for it, else behind its name.
std::string text_of(const Section& section) {
  std::vector<TextTable::Column> columns;
  bool starred = false;
  for (const Section::Column& column : section.columns) {
    columns.push_back({column.header, column.align});
    starred = starred || column.role == Section::Role::mark;
  }
  TextTable table(std::move(columns));
  for (const Section::Row& row : section.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Section::Role role = section.columns[i].role;
      std::string text = row.cells[i].text;
      if (row.marked && role == Section::Role::mark) text = "*";
      if (row.marked && !starred && role == Section::Role::name) text += " *";
      cells.push_back(std::move(text));
    }
    table.add(std::move(cells));
  }
  const std::string note = section.note.empty() ? "" : fmt::format("  {}\n", section.note);
  return fmt::format("{}\n{}{}\n", section.title, note, table.text());
}

}  // namespace

std::string explanation_text(const Explanation& explanation) {
  std::string text = fmt::format("{} ({}) on {}: {}", explanation.layer, explanation.label, explanation.gpu,
                                 print(explanation.time, explanation.interval));
  if (explanation.method == Method::none) {
    return text + "\n\n  It renames data without moving any, so it costs nothing.\n";
  }
  text += fmt::format(", limited by {}; method {}\n\n", name_of(explanation.bottleneck), name_of(explanation.method));
  if (explanation.ratio_of_calls != 1) {
    text += fmt::format(
        "  times {:.3f}: correction from measured calls of similar length and bottleneck (calls of the "
        "calibration)\n\n",
        explanation.ratio_of_calls);
  }
  std::string part;
  for (const Section& section : explanation.sections) {
    if (!section.part.empty() && section.part != part) text += section.part + "\n\n";
    part = section.part;
    text += text_of(section);
  }
  return text + fmt::format("Where the numbers of {} come from\n{}", explanation.gpu, facts_text(explanation.facts));
}

std::string explain_report(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options) {
  return explanation_text(explain_layer(layer, gpu, options));
}

}  // namespace rooftile
