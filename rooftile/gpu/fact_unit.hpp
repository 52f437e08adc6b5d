// The units that a fact of a GPU file can have, and reading and printing a number in each.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"

namespace rooftile {

enum class FactUnit {
  text,      // words: "GDDR5X"
  date,      // a TOML date: 2017-04-06
  count,     // a whole number
  fraction,  // a number in (0, 1]
  bytes,
  bytes_per_second,
  bytes_per_cycle,
  flops_per_second,
  flops_per_cycle,
  hertz,
  cycles,
  seconds,
  watts,
  dollars,
  dollars_per_second,
};

// True for the units that stand in the number's text ("50 MiB"), false for words, dates and plain numbers.
bool is_quantity(FactUnit unit);

// An example for error messages: "1051 GB/s".
std::string_view example_of(FactUnit unit);

// Reads a quantity's text; the number in base units (see units.hpp).
Result<double> parse_quantity(FactUnit unit, std::string_view text);

// Prints a number in base units as a person would write it.
std::string print_number(FactUnit unit, double base_units);

}  // namespace rooftile
