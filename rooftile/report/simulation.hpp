// Simulated traffic as text, CSV and JSON, beside closed forms where they were asked for.
#pragma once

#include <string>
#include <vector>

#include "rooftile/report/text.hpp"
#include "rooftile/simulate/simulate.hpp"
#include "rooftile/traffic/traffic.hpp"

namespace rooftile {

// One kernel of a layer.
struct SimulatedLayer {
  std::string name;
  std::string set;     // rows of one set are scored together; may be empty
  double layers = 1;   // layers of this shape
  double kernels = 1;  // equal kernels of one layer
  Im2col gemm;
  Plan plan;
  Simulation simulation;
  std::vector<Traffic> closed_forms;  // as SimulationReport::methods
};

struct SimulationReport {
  std::string gpu;
  SimulateOptions options;
  std::vector<std::string> methods;
  std::vector<SimulatedLayer> layers;
};

// Bytes by level with miss rates and what was sampled; then, by set, level and method, how far the closed forms are
// off: GMAE = exp(mean |ln(closed form / simulated)|) - 1, the geometric mean of the ratio, and the worst.
std::string simulation_table(const SimulationReport& report, std::size_t width = kAnyWidth);

// The scores alone, as the table ends with them.
std::string simulation_scores(const SimulationReport& report, std::size_t width = kAnyWidth);

// One row a kernel.
std::string simulation_csv(const SimulationReport& report);

// "rooftile/simulation/1".
std::string simulation_json(const SimulationReport& report);

}  // namespace rooftile
