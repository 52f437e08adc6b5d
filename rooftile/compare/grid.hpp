// How much CO2 a kilowatt-hour of a country's electricity makes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

struct Grid {
  double grams_per_kwh = 0;
  std::string country = {}, source = {};  // of the table; empty: given as a number
  int year = 0;
};

// The year's mean of a country: Ember's yearly electricity data, as Our World in Data has it. Nothing where it is no
// country of the table.
std::optional<Grid> grid_of(std::string_view country);
std::vector<std::string> grid_ids();

}  // namespace rooftile
