// What GPUs cost (docs/costs.md) as text, JSON and CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooftile/cost/energy.hpp"
#include "rooftile/cost/validation.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// A model's run on a board.
struct BoardRun {
  std::string model;
  double samples = 1;  // of the run
  Seconds time;
  RunEnergy energy;
};

struct BoardReport {
  BoardCost board;
  std::optional<BoardRun> run;
};

struct CostReport {
  std::vector<BoardReport> boards;
  std::vector<ChipArea> chips;  // empty: left out
  std::vector<CostFact> facts;  // empty: left out
};

std::string cost_table(const CostReport& report, std::size_t width = kAnyWidth);
// "rooftile/cost/1".
std::string cost_json(const CostReport& report);
// One row a board.
std::string cost_csv(const CostReport& report);

}  // namespace rooftile
