// Bytes moved at each memory level.
#pragma once

#include "rooftile/base/units.hpp"

namespace rooftile {

struct Traffic {
  Bytes l1;          // loads requested from the L1s
  Bytes l2;          // loads requested from the L2
  Bytes dram;        // loads from DRAM
  Bytes store_dram;  // stores to DRAM
  Bytes compulsory;  // loads that no reuse avoids: each element that is used, once

  Traffic& operator+=(const Traffic& other);
  Traffic operator*(double count) const;
};

}  // namespace rooftile
