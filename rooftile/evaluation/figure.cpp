#include "rooftile/evaluation/figure.hpp"

#include <cmath>

#include <fmt/format.h>

namespace rooftile {

std::string cell(double number) { return std::isfinite(number) ? fmt::format("{:.6g}", number) : ""; }
std::string whole_cell(double number) { return std::isfinite(number) ? fmt::format("{:.0f}", number) : ""; }

}  // namespace rooftile
