// What a page shows beside a roofline's own data, and writing the page. Private.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooftile/roofline/view.hpp"

namespace rooftile {

// A number to read at a glance.
struct PageCard {
  std::string label;
  std::string value;
  std::string note;
};

struct PageFact {
  std::string label;
  std::string value;
};

// A column of text in the table, one value a kernel.
struct PageColumn {
  std::string key;    // in the CSV
  std::string title;  // on the page
  std::vector<std::string> values;
};

struct PageList {
  std::string title;
  std::vector<std::string> items;
  bool folded = false;  // opened on demand
};

struct PageView {
  roofline::View view;
  std::string name;       // among several
  std::string subtitle;   // under the title
  std::string file_name;  // of the CSV, without its suffix
  std::vector<PageCard> cards;
  std::vector<PageFact> setup;
  std::vector<PageColumn> columns;
  std::vector<PageList> lists;
};

// Notes, assumptions, what was dropped, what found no match, and the sources of the roof's numbers.
std::vector<PageList> lists_of(const roofline::View& view);

// Letters, digits, dots and hyphens of `text`, for a file's name; anything else becomes a hyphen.
std::string file_name_of(std::string_view text);

// The data block: JSON that is safe inside a script element. The format is the page's own and may change with it.
std::string page_data(std::span<const PageView> views);

// The whole file. One view or more; the first is shown.
std::string page(std::span<const PageView> views);

}  // namespace rooftile
