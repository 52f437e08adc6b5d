// What each fuzz target asks of an error: something is said, on one line that a terminal can show.
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/base/one_line.hpp"

inline bool is_one_line_error(const rooftile::Error& error) {
  constexpr std::size_t kLongest = 2048;
  const std::string text = error.text();
  return !error.message.empty() && text.size() < kLongest && !rooftile::has_control_characters(text);
}
