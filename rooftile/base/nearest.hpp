// The nearest known name to a mistyped one, for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rooftile {

// Edit distance (insert, delete, replace, swap of neighbours), ignoring case.
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `wanted`, or empty if none is near enough to be meant.
std::string nearest(std::string_view wanted, std::span<const std::string> candidates);

// "; did you mean 'X'?" or, where nothing is near, "".
std::string did_you_mean(std::string_view wanted, std::span<const std::string> candidates);

// "; did you mean 'X'? One of X, Y, Z" or, where nothing is near, "; one of X, Y, Z".
std::string one_of(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace rooftile
