// What a calibration does not do, said where it could be taken for done.
#pragma once

#include <string>
#include <vector>

#include "rooftile/calibration/unused_factors.hpp"
#include "rooftile/cli/output.hpp"

namespace rooftile::cli {

// One line on standard error where the calibration, if there is one, has factors but of none of these GPUs (ids).
inline void note_unused_factors(const Calibration* calibration, const std::vector<std::string>& gpus) {
  const std::string note = calibration != nullptr ? unused_factors(*calibration, gpus) : "";
  if (!note.empty()) write_error(note);
}

}  // namespace rooftile::cli
