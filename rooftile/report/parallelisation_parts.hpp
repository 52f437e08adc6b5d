// What reports of ways to spread a training step share.
#pragma once

#include <array>
#include <cstddef>

#include "rooftile/report/parallelisation.hpp"

namespace rooftile {

struct NamedPart {
  const char* key = "";    // in JSON and CSV
  const char* label = "";  // for people
  Seconds time;
};
std::array<NamedPart, 6> step_parts(const StepParts& parts);

// Of the ways that fit, as many as were asked for.
std::size_t ways_shown(const ParallelisationReport& report);

}  // namespace rooftile
