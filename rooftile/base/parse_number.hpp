// Numbers in text, whatever the locale: "12", "-3", "1.5e-3". Infinities and NaN are no numbers here.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace rooftile {

// The number that begins `text`, which then starts behind it; nothing, and `text` as it was, where none does.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// `text` as a number; nothing where anything else stands in it.
template <class Number = double>
std::optional<Number> parse_number(std::string_view text) {
  const auto number = take_number<Number>(text);
  return text.empty() ? number : std::nullopt;
}

}  // namespace rooftile
