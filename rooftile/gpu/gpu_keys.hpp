// Every key of a GPU file, in one table: its unit, the range a number must lie in, and the field of Gpu it fills.
//
// A key is written "section.name". Those of a [[level]] are written "level.name" here and "level.L2.name" in facts.
// Architecture files have the same keys.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/gpu/fact_unit.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

enum class Need {
  required,   // a model cannot do without
  optional,   // fills a field of Gpu where it is given
  fact_only,  // shown to people, or an input of a derivation rule
};

struct GpuKey {
  std::string_view key;
  FactUnit unit;
  double least;  // the smallest and largest believable number, in base units
  double most;
  Need need = Need::fact_only;
  void (*set)(Gpu&, double) = nullptr;                // for a key outside a level
  void (*set_level)(MemoryLevel&, double) = nullptr;  // for a key of a level
};

// The level names a file may use, nearest to the SM first.
struct LevelName {
  std::string_view name;
  bool per_sm;
  bool required;
};
inline constexpr std::array kLevelNames = {LevelName{"L1", true, true}, LevelName{"L2", false, true},
                                           LevelName{"MALL", false, false}, LevelName{"DRAM", false, true}};

std::span<const GpuKey> gpu_keys();

// True for a key of a [[level]].
inline bool is_level_key(const GpuKey& row) { return row.key.starts_with("level."); }

// The row of "level.capacity" or "core.clock"; null if there is none.
const GpuKey* find_gpu_key(std::string_view key);

// The section names ("core", "level", …), and the names in a section.
std::vector<std::string> gpu_sections();
std::vector<std::string> gpu_key_names(std::string_view section);

}  // namespace rooftile
