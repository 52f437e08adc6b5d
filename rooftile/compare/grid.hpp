// How much CO2 a kilowatt-hour of a country's electricity makes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

struct Grid {
  std::string id;
  double grams_per_kwh = 0;
};

// Of 2023. Nothing where it is no country of the table.
std::optional<Grid> find_grid(std::string_view id);
std::vector<std::string> grid_ids();
std::string_view grid_source();

}  // namespace rooftile
