// Doubles as text, many at a time: the shortest digits that read back as the same number.
#pragma once

#include <cstddef>

namespace rooftile {

// Characters that no number exceeds.
constexpr std::size_t kLongestNumber = 32;

// Writes what std::to_chars(at, at + kLongestNumber, number) writes, in half the time, and returns the end. `at` has
// room for kLongestNumber characters, all of which may be overwritten.
char* write_number(char* at, double number);

}  // namespace rooftile
