#include "rooftile/ingest/corrections.hpp"

#include <vector>

#include "rooftile/base/csv.hpp"
#include "rooftile/ingest/embedded_corrections.hpp"

namespace rooftile {
namespace {

// A cell of the rows of a source, but for those whose path has a text.
struct Correction {
  std::string source, column, cell, unless_path, correct;
};

const std::vector<Correction>& corrections() {
  static const std::vector<Correction> all = [] {
    std::vector<Correction> read;
    for (const EmbeddedText& file : embedded_corrections()) {
      const std::vector<CsvRow> rows = parse_csv(file.text, file.path).value();
      for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::vector<std::string>& cells = rows[i].cells;
        read.push_back({cells.at(0), cells.at(1), cells.at(2), cells.at(3), cells.at(4)});
      }
    }
    return read;
  }();
  return all;
}

}  // namespace

std::string_view corrected(const TableRow& row, const std::string& column) {
  const std::string_view cell = row.text(column);
  for (const Correction& one : corrections()) {
    if (one.column != column || one.cell != cell || one.source != row.text("source")) continue;
    const bool excepted = !one.unless_path.empty() && row.text("path").find(one.unless_path) != std::string_view::npos;
    if (!excepted) return one.correct;
  }
  return cell;
}

}  // namespace rooftile
