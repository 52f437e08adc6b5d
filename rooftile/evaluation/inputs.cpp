// Table I: what the model knows of each GPU.
#include <array>

#include <fmt/format.h>

#include "rooftile/evaluation/makers.hpp"

namespace rooftile {
namespace {

// A row of the table: its name with the unit, and the number of a GPU in that unit.
struct Input {
  const char* name;
  double (*of)(const Gpu&);
};

constexpr double kGiga = 1e9, kKibi = 1024, kMebi = kKibi * kKibi;
constexpr double kRegisterBytes = 4;

double latency(const Gpu& gpu, std::string_view level) { return gpu.level(level).latency.value(); }
double rate(const Gpu& gpu, std::string_view level) { return gpu.level(level).bandwidth.value() / kGiga; }

constexpr std::array<Input, 16> kInputs = {
    Input{"SMs", [](const Gpu& gpu) { return gpu.sm_count; }},
    Input{"core clock, GHz", [](const Gpu& gpu) { return gpu.clock.value() / kGiga; }},
    Input{"fp32, GFLOP/s", [](const Gpu& gpu) { return gpu.peak(Peak::fp32).value() / kGiga; }},
    Input{"registers of an SM, KiB", [](const Gpu& gpu) { return gpu.sm.registers * kRegisterBytes / kKibi; }},
    Input{"shared memory of an SM, KiB", [](const Gpu& gpu) { return gpu.sm.smem.value() / kKibi; }},
    Input{"shared memory load, GB/s an SM", [](const Gpu& gpu) { return gpu.smem_load_bandwidth.value() / kGiga; }},
    Input{"shared memory store, GB/s an SM", [](const Gpu& gpu) { return gpu.smem_store_bandwidth.value() / kGiga; }},
    Input{"L1, GB/s an SM", [](const Gpu& gpu) { return rate(gpu, "L1"); }},
    Input{"L2, GB/s", [](const Gpu& gpu) { return rate(gpu, "L2"); }},
    Input{"DRAM, GB/s", [](const Gpu& gpu) { return rate(gpu, "DRAM"); }},
    Input{"L2 capacity, MiB", [](const Gpu& gpu) { return gpu.level("L2").capacity.value() / kMebi; }},
    Input{"L1 request, bytes", [](const Gpu& gpu) { return gpu.l1_request.value(); }},
    Input{"L1 latency, cycles", [](const Gpu& gpu) { return latency(gpu, "L1"); }},
    Input{"L2 latency, cycles", [](const Gpu& gpu) { return latency(gpu, "L2"); }},
    Input{"DRAM latency, cycles", [](const Gpu& gpu) { return latency(gpu, "DRAM"); }},
    Input{"shared memory latency, cycles", [](const Gpu& gpu) { return gpu.smem_latency.value(); }}};

}  // namespace

Figure make_inputs(const EvaluationInput& input, const Simulations& /*simulations*/) {
  FigureTable table;
  table.file = "table1";
  table.what = "what the model knows of each GPU; 'rooftile gpus show ID' gives the sources";
  table.columns = {"quantity"};
  for (const Gpu& gpu : input.gpus) table.columns.push_back(gpu.id);
  for (const Input& each : kInputs) {
    std::vector<std::string> row = {each.name};
    for (const Gpu& gpu : input.gpus) row.push_back(cell(each.of(gpu)));
    table.rows.push_back(std::move(row));
  }
  Figure figure;
  figure.tables.push_back(std::move(table));
  return figure;
}

}  // namespace rooftile
