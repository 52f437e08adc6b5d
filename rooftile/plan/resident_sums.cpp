#include "rooftile/plan/resident_sums.hpp"

#include <algorithm>

namespace rooftile {

double resident_by_sums(double sums_of_cta, const SmLimits& sm, bool in_tensor_memory) {
  constexpr Bytes kSum{4};
  constexpr double kHalf = 0.5, kMost = 4;
  const double in_registers = kHalf * (sm.registers - sm.accumulation_registers);
  const double room = in_tensor_memory ? sm.tensor_memory / kSum : in_registers;
  return std::clamp(room / sums_of_cta, 1.0, kMost);
}

}  // namespace rooftile
