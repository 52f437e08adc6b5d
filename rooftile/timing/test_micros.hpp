// Times in microseconds, for tests.
#pragma once

#include "rooftile/base/units.hpp"

namespace rooftile {

inline double micros(Seconds time) { return time.value() * 1e6; }

}  // namespace rooftile
