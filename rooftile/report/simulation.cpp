#include "rooftile/report/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

constexpr const char* kLevels[] = {"l1", "l2", "dram", "store_dram"};
constexpr std::size_t kLevelCount = 4;

double simulated(const LevelBytes& bytes, std::size_t level) {
  const double values[kLevelCount] = {bytes.l1, bytes.l2, bytes.dram, bytes.store_dram};
  return values[level];
}

double closed(const Traffic& traffic, std::size_t level) {
  const Bytes values[kLevelCount] = {traffic.l1, traffic.l2, traffic.dram, traffic.store_dram};
  return values[level].value();
}

std::string size_text(double bytes) { return print(Bytes(bytes)); }

// The largest of the standard errors, each over its own bytes.
double worst_error(const Simulation& simulation) {
  double worst = 0;
  for (std::size_t level = 0; level < kLevelCount; ++level) {
    const double bytes = simulated(simulation.bytes, level);
    if (bytes > 0) worst = std::max(worst, simulated(simulation.standard_error, level) / bytes);
  }
  return worst;
}

struct FormScore {
  double rows = 0, absolute = 0, sum = 0, worst = 0;
  std::string worst_name;

  void add(double ratio, const std::string& name) {
    const double error = std::abs(std::log(ratio));
    ++rows;
    absolute += error;
    sum += std::log(ratio);
    if (error <= std::abs(worst)) return;
    worst = std::log(ratio);
    worst_name = name;
  }
};

FormScore score(const SimulationReport& report, const std::string& set, std::size_t method, std::size_t level) {
  FormScore result;
  for (const SimulatedLayer& layer : report.layers) {
    const double bytes = simulated(layer.simulation.bytes, level);
    const double form = closed(layer.closed_forms[method], level);
    if (layer.set == set && bytes > 0 && form > 0) result.add(form / bytes, layer.name);
  }
  return result;
}

std::vector<std::string> sets_of(const SimulationReport& report) {
  std::vector<std::string> sets;
  for (const SimulatedLayer& layer : report.layers) {
    if (std::find(sets.begin(), sets.end(), layer.set) == sets.end()) sets.push_back(layer.set);
  }
  return sets;
}

}  // namespace

std::string simulation_scores(const SimulationReport& report, std::size_t width) {
  if (report.methods.empty()) return "";
  TextTable table({{"set"},
                   {"method"},
                   {"level"},
                   {"layers", Align::right},
                   {"GMAE", Align::right},
                   {"geometric mean", Align::right},
                   {"worst", Align::right},
                   {"layer"}});
  for (const std::string& set : sets_of(report)) {
    for (std::size_t method = 0; method < report.methods.size(); ++method) {
      for (std::size_t level = 0; level < kLevelCount; ++level) {
        const FormScore sum = score(report, set, method, level);
        if (sum.rows == 0) continue;
        table.add({set.empty() ? "all" : set, report.methods[method], kLevels[level], fmt::format("{}", sum.rows),
                   percent(std::exp(sum.absolute / sum.rows) - 1, 1),
                   fmt::format("{:.3f}", std::exp(sum.sum / sum.rows)), fmt::format("{:.3f}", std::exp(sum.worst)),
                   sum.worst_name});
      }
    }
  }
  return "Closed form / simulated\n" + table.text(width);
}

std::string simulation_table(const SimulationReport& report, std::size_t width) {
  const std::string heading = fmt::format("Simulated traffic on {}: {} start, {} replacement, {}, elements of {} bytes",
                                          report.gpu, name_of(report.options.start), name_of(report.options.policy),
                                          report.options.l1 ? "loads through the L1" : "loads bypassing the L1",
                                          report.options.element.value());
  std::string text = wrapped(heading, width - 2, "  ") + "\n";
  TextTable table({{"layer"},
                   {"count", Align::right},
                   {"tile"},
                   {"CTAs", Align::right},
                   {"L1", Align::right},
                   {"L2", Align::right},
                   {"DRAM", Align::right},
                   {"compulsory", Align::right},
                   {"L1 miss", Align::right},
                   {"L2 miss", Align::right},
                   {"stores", Align::right},
                   {"replayed", Align::right},
                   {"std error", Align::right}});
  for (const SimulatedLayer& layer : report.layers) {
    const Simulation& simulation = layer.simulation;
    const LevelBytes& bytes = simulation.bytes;
    const Tile& tile = layer.plan.kernel.tile;
    table.add({layer.name, grouped(layer.layers * layer.kernels), fmt::format("{}x{}x{}", tile.m, tile.n, tile.k),
               grouped(layer.plan.ctas), size_text(bytes.l1), size_text(bytes.l2), size_text(bytes.dram),
               size_text(simulation.compulsory.value()), percent(bytes.l2, bytes.l1), percent(bytes.dram, bytes.l2),
               size_text(bytes.store_dram), percent(simulation.replayed_share, 1),
               simulation.replayed_share < 1 ? percent(worst_error(simulation), 1) : std::string("exact")});
  }
  text += table.text(width);
  const std::string scores = simulation_scores(report, width);
  return scores.empty() ? text : text + "\n" + scores;
}

}  // namespace rooftile
