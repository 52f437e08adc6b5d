#include "rooftile/cost/cost_data.hpp"

#include <algorithm>

namespace rooftile {

std::string_view name_of(CostKind kind) {
  switch (kind) {
    case CostKind::vendor:
      return "vendor";
    case CostKind::measured:
      return "measured";
    case CostKind::stated:
      return "stated";
    case CostKind::derived:
      return "derived";
    case CostKind::fitted:
      return "fitted";
    case CostKind::assumed:
      return "assumed";
  }
  return "";
}

const ProcessCosts* CostTable::process(double nm) const {
  const auto found = std::find_if(processes.begin(), processes.end(), [&](const auto& row) { return row.nm == nm; });
  return found == processes.end() ? nullptr : &*found;
}

const MemoryCosts* CostTable::memory(std::string_view type) const {
  const auto found = std::find_if(memories.begin(), memories.end(), [&](const auto& row) { return row.type == type; });
  return found == memories.end() ? nullptr : &*found;
}

const ChipCosts* CostTable::chip_of(std::string_view gpu_id) const {
  for (const ChipCosts& chip : chips) {
    if (std::find(chip.gpus.begin(), chip.gpus.end(), gpu_id) != chip.gpus.end()) return &chip;
  }
  return nullptr;
}

}  // namespace rooftile
