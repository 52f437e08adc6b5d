// The text of an explanation.
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/report/explanation.hpp"
#include "rooftile/report/facts.hpp"
#include "rooftile/report/interval.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

// A marked row has its star before the name, where there is a column for it, else behind. Sentences, which stand last,
// go on below where the page is narrow.
std::string text_of(const Section& section, std::size_t width) {
  std::vector<TextTable::Column> columns;
  std::string before;  // of the next column
  bool starred = false;
  for (const Section::Column& column : section.columns) {
    if (column.role == Section::Role::mark) {
      before = "   ";
      starred = true;
      continue;
    }
    const bool last = &column == &section.columns.back();
    columns.push_back({before + column.header, column.align, last ? Cut::wraps : Cut::never});
    before.clear();
  }
  TextTable table(std::move(columns));
  for (const Section::Row& row : section.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Section::Role role = section.columns[i].role;
      if (role == Section::Role::mark) {
        before = row.marked ? "*  " : "   ";
        continue;
      }
      cells.push_back(before + row.cells[i].text);
      before.clear();
      if (row.marked && !starred && role == Section::Role::name) cells.back() += " *";
    }
    table.add(std::move(cells));
  }
  const std::string note = section.note.empty() ? "" : wrapped("  " + section.note, width - 4, "    ") + "\n";
  return fmt::format("{}\n{}{}\n", section.title, note, table.text(width));
}

}  // namespace

std::string explanation_text(const Explanation& explanation, std::size_t width) {
  std::string text = fmt::format("{} ({}) on {}: {}", explanation.layer, explanation.label, explanation.gpu,
                                 print(explanation.time, explanation.interval));
  if (explanation.method == Method::none) {
    return text + "\n\n  It renames data without moving any, so it costs nothing.\n";
  }
  text += fmt::format(", limited by {}; method {}", name_of(explanation.bottleneck), name_of(explanation.method));
  text = wrapped(text, width - 2, "  ") + "\n\n";
  if (!explanation.members.empty()) {
    const std::string list = fmt::format("  one kernel runs {}", fmt::join(explanation.members, ", "));
    text += wrapped(list, width - 2, "  ") + "\n\n";
  }
  if (explanation.ratio_of_calls != 1) {
    text += page_line(fmt::format("  times {:.3f}: correction from measured calls of similar length and bottleneck "
                                  "(calls of the calibration)",
                                  explanation.ratio_of_calls),
                      width, "    ") +
            "\n";
  }
  std::string part;
  for (const Section& section : explanation.sections) {
    if (!section.part.empty() && section.part != part) text += section.part + "\n\n";
    part = section.part;
    text += text_of(section, width);
  }
  return text + fmt::format("Where the numbers of {} come from\n{}", explanation.gpu,
                            facts_text(std::span<const Fact>(explanation.facts), width));
}

std::string explain_report(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options) {
  return explanation_text(explain_layer(layer, gpu, options));
}

}  // namespace rooftile
