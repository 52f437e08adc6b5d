// What a chip's process does to the energy of its arithmetic (data/processes/energy.toml).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile {

constexpr double kReferenceProcess = 16;  // nm

struct ProcessEnergy {
  double nm = 0;
  double share = 0;  // of the energy at kReferenceProcess, for the same circuit at the same speed
  std::string source;
};

// The smallest process first. Errors: those of the text.
Result<std::vector<ProcessEnergy>> parse_process_energies(std::string_view toml, std::string_view where);

// Those of data/processes.
std::span<const ProcessEnergy> process_energies();

// Relative to kReferenceProcess: between two known processes by a power of their names, beyond the last ones by theirs.
double process_energy(double nm);

}  // namespace rooftile
