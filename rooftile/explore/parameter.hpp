// What a design can change of a GPU: one row of a table a parameter.
//
// Parameters are independent: each says what it carries along, and their order does not matter.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/gpu/fact_unit.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// In the order of parameters().
enum class Parameter : std::size_t {
  sm_count,
  mac_per_sm,
  tensor_mac_per_sm,
  clock,
  registers,
  smem,
  smem_bandwidth,
  smem_latency,
  l1_capacity,
  l1_bandwidth,
  l1_latency,
  l2_capacity,
  l2_bandwidth,
  l2_latency,
  dram_bandwidth,
  dram_latency,
  cta_tile,
};
constexpr std::size_t kParameters = 17;

struct ParameterRow {
  std::string_view name;  // in files and on the command line
  FactUnit unit;
  bool whole;          // has whole values only; a multiple is rounded to the nearest
  double least, most;  // that can be meant, in base units
  std::string_view what;
  double (*read)(const Gpu&);         // base units; zero: the GPU has no such thing
  void (*write)(Gpu&, double value);  // null: not a part of the GPU
};
std::span<const ParameterRow> parameters();

const ParameterRow& row_of(Parameter parameter);
std::string_view name_of(Parameter parameter);
std::vector<std::string> parameter_names();
std::optional<Parameter> find_parameter(std::string_view name);

// "1.05 TB/s", "128".
std::string print(Parameter parameter, double value);

// A design: the value of each parameter, in base units.
using DesignPoint = std::array<double, kParameters>;

constexpr double& at(DesignPoint& point, Parameter which) { return point[static_cast<std::size_t>(which)]; }
constexpr double at(const DesignPoint& point, Parameter which) { return point[static_cast<std::size_t>(which)]; }

// The GPU as it is.
DesignPoint design_of(const Gpu& gpu);

// The GPU with the values of a design. What the design leaves alone keeps its bits; `facts` stay those of the GPU
// before.
Gpu with_design(Gpu gpu, const DesignPoint& point);

// The same in place; `before` is design_of(gpu).
void write_design(Gpu& gpu, const DesignPoint& before, const DesignPoint& point);

}  // namespace rooftile
