// Units as profilers print them: "Kbyte", "usecond", "cycle/nsecond", "Gbyte/s", "%".
#pragma once

#include <string_view>

namespace rooftile::profile {

// By what a value is multiplied to stand in base units: bytes, seconds, hertz, single events; percentages stay as they
// are. Prefixes are powers of 1000 (4096 bytes print as "4.096 Kbyte"). A word that is none of the known ones counts
// events: 1.
double unit_factor(std::string_view unit);

}  // namespace rooftile::profile
