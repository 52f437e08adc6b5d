// Cells of published tables that their own sources contradict or fill in, and what these say: data/corrections/, each
// with the reason.
// Private.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/ingest/layer_table_row.hpp"

namespace rooftile {

// The cell, or what is right in its place.
std::string_view corrected(const TableRow& row, const std::string& column);

}  // namespace rooftile
