// Bytes moved at each memory level.
#pragma once

#include "rooftile/base/units.hpp"

namespace rooftile {

struct Traffic {
  Bytes l1 = {};          // loads requested from the L1s
  Bytes l2 = {};          // loads requested from the L2
  Bytes dram = {};        // loads from DRAM
  Bytes store_l2 = {};    // stores to the L2, through the L1
  Bytes store_dram = {};  // stores to DRAM
  Bytes compulsory = {};  // loads that no reuse avoids: each element that is used, once

  // Loads and stores, as counters have them.
  Bytes at_l1() const { return l1 + store_l2; }
  Bytes at_l2() const { return l2 + store_l2; }
  Bytes at_dram() const { return dram + store_dram; }

  Traffic& operator+=(const Traffic& other);
  Traffic operator*(double count) const;
};

}  // namespace rooftile
