#include "rooftile/report/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/escaped.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kGap = 2;  // between columns

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The byte at which column `column` starts.
std::size_t byte_of(std::string_view text, std::size_t column) {
  std::size_t byte = 0;
  for (; byte < text.size(); ++byte) {
    if (continues(text[byte])) continue;
    if (column == 0) break;
    --column;
  }
  return byte;
}

void append_cell(std::string& line, std::string_view cell, std::size_t width, Align align) {
  const std::string gap(width - std::min(width, width_of(cell)), ' ');
  if (align == Align::right) line += gap;
  line += cell;
  if (align == Align::left) line += gap;
}

bool wraps(Cut cut) { return cut == Cut::wraps || cut == Cut::wraps_list; }

// A cell as lines of at most `width` columns.
std::vector<std::string> lines_of(const std::string& cell, std::size_t width, Cut cut) {
  if (!wraps(cut)) return {shorten(cell, width)};
  std::vector<std::string> lines;
  const std::string text = wrapped(cell, width, "", cut == Cut::wraps_list ? Breaks::after_commas : Breaks::at_spaces);
  std::size_t start = 0;
  while (true) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(shorten(std::string_view(text).substr(start, end - start), width));
    if (end == text.size()) return lines;
    start = end + 1;
  }
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string shorten(std::string_view text, std::size_t width) {
  const std::size_t all = width_of(text);
  if (all <= width) return std::string(text);
  const std::size_t tail = width / 2;
  const std::size_t head = width - tail - 1;
  return fmt::format("{}…{}", text.substr(0, byte_of(text, head)), text.substr(byte_of(text, all - tail)));
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = escaped(cell);
  rows_.push_back(std::move(cells));
}

// The columns' widths, so that all stand in `room` columns if shorter names allow it. Else columns go below, and names
// need not be as short as can be: they have a third of the room.
std::vector<std::size_t> TextTable::widths_within(std::size_t room) const {
  constexpr std::size_t kLeast = 12;  // of a name that is still told from others
  std::vector<std::size_t> widths, least, beside;
  std::size_t total = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t header = width_of(columns_[i].header);
    widths.push_back(header);
    for (const auto& row : rows_) widths[i] = std::max(widths[i], width_of(row[i]));
    const bool cuts = columns_[i].align == Align::left && columns_[i].cut != Cut::never;
    least.push_back(cuts ? std::min(widths[i], std::max(header, kLeast)) : widths[i]);
    beside.push_back(std::min(widths[i], std::max(least[i], room / 3)));
    total += widths[i] + (i > 0 ? kGap : 0);
  }
  for (; total > room; --total) {
    std::optional<std::size_t> widest;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > least[i] && (!widest || widths[i] > widths[*widest])) widest = i;
    }
    if (!widest) return beside;
    --widths[*widest];
  }
  return widths;
}

// The first columns that tell the rows apart, in at most half of the room: what goes below begins with them again.
std::size_t TextTable::keys_within(std::size_t room, const std::vector<std::size_t>& widths) const {
  std::size_t best = 1, most = 0, used = 0;
  for (std::size_t keys = 1; keys <= columns_.size(); ++keys) {
    used += widths[keys - 1] + kGap;
    if (keys > 1 && used > room / 2) break;
    std::set<std::vector<std::string>> apart;
    std::vector<std::string> key;
    for (const auto& row : rows_) {  // an empty cell goes on with the one above
      key.resize(keys);
      for (std::size_t i = 0; i < keys; ++i) {
        if (!row[i].empty()) key[i] = row[i];
      }
      apart.insert(key);
    }
    if (apart.size() <= most) continue;
    best = keys;
    most = apart.size();
    if (most == rows_.size()) break;
  }
  return best;
}

std::string TextTable::block(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths,
                             std::string_view indent) const {
  std::string result;
  const auto append_row = [&](const auto& cell_of) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (const std::size_t i : shown) {
      cells.push_back(lines_of(cell_of(i), widths[i], columns_[i].cut));
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t line = 0; line < lines; ++line) {
      result += indent;
      for (std::size_t i = 0; i < shown.size(); ++i) {
        const std::string_view cell = line < cells[i].size() ? std::string_view(cells[i][line]) : "";
        append_cell(result, cell, widths[shown[i]], columns_[shown[i]].align);
        result.append(kGap, ' ');
      }
      end_line(result);
    }
  };
  const bool headed = std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return !c.header.empty(); });
  if (headed) append_row([&](std::size_t i) -> const std::string& { return columns_[i].header; });
  for (const auto& row : rows_) append_row([&](std::size_t i) -> const std::string& { return row[i]; });
  return result;
}

std::string TextTable::text(std::size_t width, std::string_view indent) const {
  const std::size_t room = width - std::min(width, width_of(indent));
  const std::vector<std::size_t> widths = widths_within(room);
  const std::size_t keys = keys_within(room, widths);
  std::string result;
  std::size_t next = keys;
  do {
    std::vector<std::size_t> shown;
    std::size_t used = 0;
    for (std::size_t i = 0; i < keys; ++i) {
      shown.push_back(i);
      used += widths[i] + (i > 0 ? kGap : 0);
    }
    for (; next < widths.size(); ++next) {
      used += kGap + widths[next];
      if (used > room && shown.size() > keys) break;
      shown.push_back(next);
    }
    result += (result.empty() ? "" : "\n") + block(shown, widths, indent);
  } while (next < widths.size());
  return result;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string("-");
}

std::string bar(double share, std::size_t width) {
  const auto filled = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
  std::string result;
  for (std::size_t i = 0; i < filled; ++i) result += "█";
  return result;
}

std::string grouped(double number) {
  std::string text = fmt::format("{:.3f}", number);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  const std::size_t end = std::min(text.find('.'), text.size());
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = end; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(static_cast<double>(number)), noun, number == 1 ? "" : "s");
}

std::string four_digits(double number) {
  constexpr double kWhole = 1000;
  return number >= kWhole ? grouped(std::round(number)) : fmt::format("{:.4g}", number);
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent, Breaks breaks) {
  const bool list = breaks == Breaks::after_commas;
  std::size_t used = std::min(text.find_first_not_of(' '), text.size());  // of a line that is itself indented
  std::string result(used, ' ');
  text.remove_prefix(used);
  bool first = true;  // of its line
  while (!text.empty()) {
    const std::size_t end = std::min(list ? text.find(", ") : text.find(' '), text.size());
    const std::string_view word = text.substr(0, list ? std::min(end + 1, text.size()) : end);
    text.remove_prefix(std::min(list ? end + 2 : end + 1, text.size()));
    if (!first && used + 1 + width_of(word) > width) {
      result += fmt::format("\n{}", indent);
      used = 0;
      first = true;
    }
    if (!first) {
      result += ' ';
      ++used;
    }
    result += word;
    used += width_of(word);
    first = false;
  }
  return result;
}

std::string page_line(std::string_view text, std::size_t width, std::string_view indent) {
  return wrapped(text, width - width_of(indent), indent) + "\n";
}

}  // namespace rooftile
