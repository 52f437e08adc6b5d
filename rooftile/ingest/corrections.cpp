#include "rooftile/ingest/corrections.hpp"

#include <vector>

#include "rooftile/base/csv.hpp"
#include "rooftile/ingest/embedded_corrections.hpp"

namespace rooftile {
namespace {

// A cell of the rows of a source: those of one GPU where it names one, those whose path has a text and lacks another.
struct Correction {
  std::string source, gpu, if_path, unless_path, column, cell, correct;

  bool is_for(const TableRow& row) const {
    const std::string_view path = row.text("path");
    if (source != row.text("source") || (!gpu.empty() && gpu != row.text("gpu"))) return false;
    return path.find(if_path) != std::string_view::npos &&
           (unless_path.empty() || path.find(unless_path) == std::string_view::npos);
  }
};

const std::vector<Correction>& corrections() {
  static const std::vector<Correction> all = [] {
    std::vector<Correction> read;
    for (const EmbeddedText& file : embedded_corrections()) {
      const std::vector<CsvRow> rows = parse_csv(file.text, file.path).value();
      for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::vector<std::string>& cells = rows[i].cells;
        read.push_back({cells.at(0), cells.at(1), cells.at(2), cells.at(3), cells.at(4), cells.at(5), cells.at(6)});
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
    if (one.column == column && one.cell == cell && one.is_for(row)) return one.correct;
  }
  return cell;
}

}  // namespace rooftile
