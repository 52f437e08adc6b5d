// Numbers with their kind and source, a line each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include <fmt/format.h>

#include "rooftile/report/text.hpp"

namespace rooftile {

// Of facts of GPUs or of costs. Sources stand beside their numbers, or below where the page is narrow.
template <class AnyFact>
std::string facts_text(std::span<const AnyFact> facts, std::size_t width) {
  constexpr std::size_t kMostSource = 72, kLeastSource = 36, kBelow = 6;
  std::size_t key_width = 0, text_width = 0;
  for (const AnyFact& fact : facts) {
    key_width = std::max(key_width, width_of(fact.key));
    text_width = std::max(text_width, width_of(fact.text));
  }
  std::string text;
  for (const AnyFact& fact : facts) {
    const std::string source = fact.note.empty() ? fact.source : fmt::format("{} ({})", fact.source, fact.note);
    const std::string start =
        fmt::format("  {:<{}}  {:<{}}  {:<8}  ", fact.key, key_width, fact.text, text_width, name_of(fact.kind));
    const std::size_t used = width_of(start);
    if (used + kLeastSource <= width) {
      text += start + wrapped(source, std::min(kMostSource, width - used), std::string(used, ' '));
    } else {
      const std::string indent(kBelow, ' ');
      text +=
          start.substr(0, start.find_last_not_of(' ') + 1) + "\n" + indent + wrapped(source, width - kBelow, indent);
    }
    text += "\n";
  }
  return text;
}

}  // namespace rooftile
