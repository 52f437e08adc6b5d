// The lines of a text, one after another.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rooftile::store {

class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}

  // Without its end; nothing after the last.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }

  // Of the line that next() gave, from 1.
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace rooftile::store
