// What a row of a layer table is, in few words.
#pragma once

#include <string>

#include "rooftile/ingest/layer_table.hpp"

namespace rooftile {

// "conv 8x64x28x28, 96 of 3x3, bwd_data"; without the pass where it is forward.
std::string label_of(const LayerRow& row);

}  // namespace rooftile
