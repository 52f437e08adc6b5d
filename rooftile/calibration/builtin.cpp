#include <cassert>
#include <utility>

#include "rooftile/calibration/calibration.hpp"
#include "rooftile/calibration/embedded.hpp"

namespace rooftile {
namespace {

Calibration parse_embedded() {
  Calibration all;
  for (const EmbeddedText& file : embedded_calibrations()) {
    auto part = parse_calibration(file.text, file.path);
    assert(part);  // a test reads every file
    if (!part) continue;
    std::move(part->entries.begin(), part->entries.end(), std::back_inserter(all.entries));
    std::move(part->harnesses.begin(), part->harnesses.end(), std::back_inserter(all.harnesses));
    std::move(part->factors.begin(), part->factors.end(), std::back_inserter(all.factors));
    std::move(part->hosts.begin(), part->hosts.end(), std::back_inserter(all.hosts));
    std::move(part->foreign_spreads.begin(), part->foreign_spreads.end(), std::back_inserter(all.foreign_spreads));
  }
  return all;
}

}  // namespace

const Calibration& builtin_calibration() {
  static const Calibration calibration = parse_embedded();
  return calibration;
}

}  // namespace rooftile
