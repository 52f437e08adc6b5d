#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

Traffic& Traffic::operator+=(const Traffic& other) {
  l1 += other.l1;
  l2 += other.l2;
  dram += other.dram;
  store_l2 += other.store_l2;
  store_dram += other.store_dram;
  compulsory += other.compulsory;
  return *this;
}

Traffic Traffic::operator*(double count) const {
  return {l1 * count, l2 * count, dram * count, store_l2 * count, store_dram * count, compulsory * count};
}

}  // namespace rooftile
