// Measuring many layers into a folder, one row at a time, so that whatever ends the run loses nothing.
//
//   DIR/layers/OP.csv   the layer tables (docs/formats.md), a table for each kind of op
//   DIR/skipped.csv     what could not be measured, and why; not tried again unless asked
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/layer_case.hpp"
#include "rooftile/measure/layer_columns.hpp"
#include "rooftile/measure/layer_runner.hpp"

namespace rooftile::measure {

struct CampaignStep {
  std::size_t index = 0, of = 0;  // of the cases that are still to be measured, from 0
  std::string key;                // of the case that comes next
};

struct CampaignOptions {
  std::string folder;
  RowContext context;
  bool retry = false;                                        // what skipped.csv has
  std::function<bool()> stop = [] { return false; };         // asked before each case
  std::function<bool()> out_of_time = [] { return false; };  // likewise
  std::function<void(const CampaignStep&)> progress = [](const CampaignStep&) {};
};

enum class CampaignEnd {
  finished,
  stopped,      // by stop()
  out_of_time,  // by out_of_time()
  device_lost,  // the case that did it is in skipped.csv
};

struct CampaignReport {
  CampaignEnd end = CampaignEnd::finished;
  std::size_t measured = 0;
  std::size_t done_before = 0;     // rows of an earlier run
  std::size_t refused = 0;         // now
  std::size_t refused_before = 0;  // and not tried again
  std::size_t left = 0;            // not come to
  std::string message;             // of a lost device

  bool operator==(const CampaignReport&) const = default;
};

// Errors are of files; the rows before one are kept.
Result<CampaignReport> run_campaign(const std::vector<LayerCase>& cases, LayerRunner& runner,
                                    const CampaignOptions& options);

// "312 layers measured, 14 from before, 3 refused (skipped.csv)"
std::string summary_of(const CampaignReport& report);

}  // namespace rooftile::measure
