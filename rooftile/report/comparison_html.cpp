// A comparison as a page: its charts and its table, all in one file that asks the network for nothing.
#include <algorithm>

#include <fmt/format.h>

#include "rooftile/report/comparison.hpp"
#include "rooftile/report/palette.hpp"
#include "rooftile/report/svg.hpp"

namespace rooftile {
namespace {

std::string style() {
  return fmt::format(
      R"(:root {{ color-scheme: light dark; }}
body {{ font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: {0}; color: {1}; }}
h1 {{ font-size: 1.4rem; }}
svg {{ display: block; max-width: 100%; height: auto; margin: 1.5rem 0; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }}
th, td {{ padding: .2rem .6rem; text-align: right; border-bottom: 1px solid {2}; }}
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

struct PageColumnOfRun {
  const char* column;
  const char* title;
  int digits = 0;  // significant; 0: as it is
};
constexpr std::array kPageColumns = {
    PageColumnOfRun{"gpu", "GPU"},
    PageColumnOfRun{"model", "model"},
    PageColumnOfRun{"batch_size", "batch"},
    PageColumnOfRun{"precision", "precision"},
    PageColumnOfRun{"time_s", "time, s", 4},
    PageColumnOfRun{"throughput_per_s", "samples/s", 4},
    PageColumnOfRun{"ratio", "ratio", 3},
    PageColumnOfRun{"limit", "limit"},
    PageColumnOfRun{"gpu_busy", "busy", 3},
    PageColumnOfRun{"watts", "W", 3},
    PageColumnOfRun{"usd_per_hour", "USD/h", 3},
    PageColumnOfRun{"usd_per_million_samples", "USD/1M samples", 3},
    PageColumnOfRun{"price_source", "price"},
    PageColumnOfRun{"memory_gib", "GiB used", 3},
    PageColumnOfRun{"capacity_gib", "GiB", 3},
    PageColumnOfRun{"total_s", "all, s", 4},
    PageColumnOfRun{"total_usd", "all, USD", 3},
    PageColumnOfRun{"gco2_per_million_samples", "g CO2/1M samples", 3},
    PageColumnOfRun{"board_usd", "board, USD", 3},
    PageColumnOfRun{"break_even_months", "pays after, months", 3},
};

bool is_name(const std::string& column) {
  return column == "gpu" || column == "model" || column == "precision" || column == "limit" || column == "price_source";
}

std::string cell_text(const ComparedRun& run, const PageColumnOfRun& shown) {
  const std::string value = comparison_cell(run, shown.column);
  if (value.empty()) return "-";
  return shown.digits == 0 ? value : fmt::format("{:.{}g}", std::stod(value), shown.digits);
}

std::string table_of(const Comparison& comparison) {
  std::vector<PageColumnOfRun> columns;
  for (const PageColumnOfRun& shown : kPageColumns) {
    const auto known = [&](const ComparedRun& run) { return !comparison_cell(run, shown.column).empty(); };
    if (std::any_of(comparison.runs.begin(), comparison.runs.end(), known)) columns.push_back(shown);
  }
  std::string text = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const PageColumnOfRun& shown : columns) {
    text += fmt::format("<th scope=\"col\"{}><button>{}</button></th>", is_name(shown.column) ? " class=\"name\"" : "",
                        shown.title);
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const ComparedRun& run : comparison.runs) {
    text += run.fits() ? "<tr>" : "<tr class=\"large\" title=\"does not fit the GPU's memory\">";
    for (const PageColumnOfRun& shown : columns) {
      text += fmt::format("<td{} data-value=\"{}\">{}</td>", is_name(shown.column) ? " class=\"name\"" : "",
                          svg_escaped(comparison_cell(run, shown.column)), svg_escaped(cell_text(run, shown)));
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
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
  const std::string main = comparison_svg(report), bars = comparison_bars(comparison);
  text += main + table_of(comparison);
  if (main != bars) text += bars;
  if (!comparison.left_out.empty()) text += "<h2>Left out</h2>\n<ul>\n";
  for (const std::string& line : comparison.left_out) text += fmt::format("<li>{}</li>\n", svg_escaped(line));
  if (!comparison.left_out.empty()) text += "</ul>\n";
  return text + fmt::format("<script>{}</script>\n</body>\n</html>\n", kScript);
}

}  // namespace rooftile
