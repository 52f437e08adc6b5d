// Columns of the grey box's table by name, and its rows by label.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/regression/matrix.hpp"

namespace rooftile {

// The shape of a row, whatever the machine.
inline constexpr std::array<std::string_view, 8> kSizes = {"batch", "in_channels", "out_channels", "in_size",
                                                           "taps",  "stride",      "out_size",     "padding"};

// The table must have the column.
std::span<const double> column_of(const regression::NumberTable& table, std::string_view name);

// One value a row.
void add_column(regression::NumberTable& table, std::string_view name, const std::vector<double>& values);

bool varies(std::span<const double> values);
bool varies(const std::vector<std::string>& labels);

// The rows with this label, of one a row.
std::vector<std::size_t> where(const std::vector<std::string>& labels, const std::string& label);

std::set<std::string> different(const std::vector<std::string>& labels);

}  // namespace rooftile
