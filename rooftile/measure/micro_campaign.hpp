// Running the microbenchmarks into a folder; what an earlier run finished is not run again.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/point.hpp"
#include "rooftile/measure/refused.hpp"

namespace rooftile::measure {

struct MicroStep {
  std::string benchmark;  // Point::benchmark of what it yields; its clock is the point "clock" of that variant
  std::string prefix;     // of the variants that it yields; empty: all but those of other steps
  std::function<Outcome<std::vector<Point>>()> run;
};

struct MicroCampaignOptions {
  std::string folder;
  bool again = false;  // those that are done too
  std::function<bool()> stop = [] { return false; };
  std::function<void(const MicroStep&)> progress = [](const MicroStep&) {};
  std::function<void(const MicroStep&, const Refused&)> refused = [](const MicroStep&, const Refused&) {};
};

struct MicroReport {
  std::size_t measured = 0, done_before = 0, refused = 0;
  bool stopped = false;
  bool device_lost = false;
};

// A benchmark that stop() cuts short counts as not done. Errors are of files.
Result<MicroReport> run_micro(const std::vector<MicroStep>& steps, const MicroCampaignOptions& options);

}  // namespace rooftile::measure
