// How much CO2 a kilowatt-hour of a country's electricity makes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

// Grams of 2023: Ember's yearly electricity data, as Our World in Data has it. Nothing where it is no country of the
// table.
std::optional<double> grams_per_kwh_of(std::string_view country);
std::vector<std::string> grid_ids();

}  // namespace rooftile
