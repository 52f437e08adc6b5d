// What a framework's calls take on a machine where nobody measured them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/calibration/calibration.hpp"

namespace rooftile {

struct MeasuredHarness {
  Harness harness;
  std::string vendor;  // of its GPU
  std::string source;  // source_of() of its rows
};

// For each of names_of_call(), the middle of those of a vendor, for any GPU, with the range that they lie in. All are
// of one family.
std::vector<Harness> middle_harnesses(std::string_view vendor, const std::vector<MeasuredHarness>& measured);

}  // namespace rooftile
