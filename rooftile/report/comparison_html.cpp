// A comparison as a page: its charts and its table, all in one file that asks the network for nothing.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/report/comparison.hpp"
#include "rooftile/report/palette.hpp"
#include "rooftile/report/shown_columns.hpp"
#include "rooftile/report/svg.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

std::string style() {
  return fmt::format(
      R"(:root {{ color-scheme: light dark; }}
body {{ font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; background: {0}; color: {1}; }}
h1 {{ font-size: 1.4rem; }}
h2 {{ font-size: 1.1rem; }}
svg {{ display: block; max-width: 100%; height: auto; margin: 1.5rem 0; }}
.wide {{ overflow-x: auto; }}
@media screen {{ .wide > svg {{ min-width: 36rem; }} }}  /* as small as its labels can be read */
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }}
th, td {{ padding: .2rem .4rem; text-align: right; border-bottom: 1px solid {2}; }}
th {{ position: sticky; top: 0; background: {0}; }}
th button {{ all: unset; cursor: pointer; font-weight: 600; }}
th button:focus-visible {{ outline: 2px solid currentColor; }}
th[aria-sort=ascending] button::after {{ content: " \2191"; }}
th[aria-sort=descending] button::after {{ content: " \2193"; }}
th.name, td.name {{ text-align: left; }}
tr.large td {{ color: {3}; }}
@media (prefers-color-scheme: dark) {{
  body, th {{ background: {4}; color: {5}; }}
  th, td {{ border-color: {6}; }}
  tr.large td {{ color: {7}; }}
}}
@media print {{
  :root {{ color-scheme: light; }}
  @page {{ size: landscape; margin: 10mm; }}
  body {{ max-width: none; margin: 0; padding: 0; background: {0}; color: {1}; }}
  h1, h2, thead {{ break-after: avoid; }}
  svg, tr {{ break-inside: avoid; }}
  svg {{ max-height: 150mm; }}
  .wide {{ overflow: visible; }}
  table {{ width: 100%; font-size: 7pt; }}
  th, td {{ padding: 1px 3px; border-color: {2}; white-space: normal; }}
  th {{ position: static; background: {0}; color: {1}; }}
  th button {{ display: none; }}  /* not repeated at the head of each sheet, as text is */
  th::before {{ content: attr(data-title); }}
}}
)",
      kGround.light, kText.light, kGrid.light, kFaint.light, kGround.dark, kText.dark, kGrid.dark, kFaint.dark);
}

// A click on a header sorts by its column: numbers by their value, what is not known last.
constexpr const char* kScript = R"(
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const header = button.parentElement, body = header.closest("table").tBodies[0];
    const column = [...header.parentElement.children].indexOf(header);
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => row.cells[column].dataset.value;
    const order = (a, b) => {
      if (a === "" || b === "") return (a === "") - (b === "");
      const x = Number(a), y = Number(b);
      const sign = Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
      return down ? -sign : sign;
    };
    body.append(...[...body.rows].sort((a, b) => order(key(a), key(b))));
  });
}
)";

const char* class_of(const ShownColumn& shown) { return shown.column.align == Align::left ? " class=\"name\"" : ""; }

std::string table_of(const ComparisonReport& report) {
  constexpr std::size_t kWidest = 48;  // a longer name is cut, so that the figures stay in sight
  const std::vector<ShownColumn> columns = shown_columns(report, true);
  std::string text = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const ShownColumn& shown : columns) {
    text += fmt::format("<th scope=\"col\"{0} data-title=\"{1}\"><button>{1}</button></th>", class_of(shown),
                        shown.column.header);
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const ComparedRun& run : report.comparison.runs) {
    text += run.fits() ? "<tr>" : "<tr class=\"large\" title=\"does not fit the GPU's memory\">";
    for (const ShownColumn& shown : columns) {
      text +=
          fmt::format("<td{} data-value=\"{}\">{}</td>", class_of(shown),
                      svg_escaped(comparison_cell(run, shown.figure)), svg_escaped(shorten(shown.cell(run), kWidest)));
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

std::string drawn_if_any(const Comparison& comparison, ComparisonChart chart) {
  if (!nothing_to_draw(comparison, chart).empty()) return "";
  return fmt::format("<div class=\"wide\">{}</div>\n", comparison_chart(comparison, chart));
}

std::string list_of(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("<h2>{}</h2>\n<ul>\n", title);
  for (const std::string& line : lines) text += fmt::format("<li>{}</li>\n", svg_escaped(line));
  return text + "</ul>\n";
}

// Where the prices are from, and the electricity's CO2.
std::vector<std::string> sources_of(const ComparisonReport& report) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  };
  for (const ComparedRun& run : report.comparison.runs) {
    if (run.price) add(fmt::format("{}, USD/h: {}", run.gpu, run.price->source));
    if (run.board && report.boards) add(fmt::format("{}, board USD: {}", run.gpu, run.board->source));
  }
  if (report.comparison.grid) add("g CO2: " + grid_text(*report.comparison.grid));
  return lines;
}

}  // namespace

std::string comparison_page(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>GPUs compared</title>\n<style>\n{}</style>\n</head>\n<body>\n<h1>GPUs "
      "compared</h1>\n<p>{}, {}{}{}</p>\n",
      style(), comparison.pass, comparison.execution,
      comparison.optimizer.empty() ? "" : ", " + svg_escaped(comparison.optimizer),
      comparison.baseline.empty() ? "" : ", against " + svg_escaped(comparison.baseline));
  for (const std::string& answer : report.answers) text += fmt::format("<p>{}</p>\n", svg_escaped(answer));
  const ComparisonChart first = fitting_chart(comparison);
  text += drawn_if_any(comparison, first) + table_of(report);
  for (const ComparisonChart other : {ComparisonChart::scatter, ComparisonChart::bars}) {
    if (other != first) text += drawn_if_any(comparison, other);
  }
  text += list_of("Sources", sources_of(report)) + list_of("Left out", comparison.left_out);
  return text + fmt::format("<script>{}</script>\n</body>\n</html>\n", kScript);
}

}  // namespace rooftile
