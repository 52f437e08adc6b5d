// Designs and what came of them, many at a time: one array a number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rooftile/cost/run_work.hpp"
#include "rooftile/explore/parameter.hpp"
#include "rooftile/explore/tile_kernel.hpp"
#include "rooftile/timing/estimate.hpp"

namespace rooftile {

// Designs of a full block: what one thread works on at a time, and the unit in which results are merged.
constexpr std::size_t kBlockDesigns = 2048;

struct DesignBlock {
  std::uint64_t first = 0;  // index of its first design
  std::size_t count = 0;
  std::array<std::vector<double>, kParameters> values;  // kBlockDesigns each

  DesignPoint point(std::size_t i) const {
    DesignPoint result{};
    for (std::size_t p = 0; p < kParameters; ++p) result[p] = values[p][i];
    return result;
  }
};

// What a design costs: mm2 of all dies, watts at full use, US dollars to manufacture (explore/cost.hpp), joules of the
// workloads by their weights (explore/cost_energy.hpp).
enum class Cost : std::size_t { area, power, manufacturing_cost, energy };
constexpr std::size_t kCosts = 4;
constexpr std::array<Cost, kCosts> kAllCosts = {Cost::area, Cost::power, Cost::manufacturing_cost, Cost::energy};

// Times are sums over the workloads by their weights, in seconds; zero where they were not computed.
struct OutcomeBlock {
  std::vector<Unfit> unfit;                              // why a design is none
  std::vector<double> time;                              // one a design
  std::array<std::vector<double>, kBottlenecks> shares;  // of `time`, that each thing limits
  // Time of each unique layer, once and unweighted: layer after layer, `stride` each. Empty if not asked for.
  std::vector<double> layers;
  std::size_t stride;
  // Empty if not asked for (want_costs()); zero where a design was left out before they were computed.
  std::array<std::vector<double>, kCosts> costs;  // by Cost
  std::vector<RunWork> work;                      // what the energy is of, by the weights of the workloads

  explicit OutcomeBlock(std::size_t layer_count = 0, std::size_t designs = kBlockDesigns)
      : unfit(designs), time(designs), layers(layer_count * designs), stride(designs) {
    for (std::vector<double>& share : shares) share.resize(designs);
  }
  void want_costs() {
    for (std::vector<double>& cost : costs) cost.resize(time.size());
    work.resize(time.size());
  }
  bool has_costs() const { return !work.empty(); }
  std::size_t limited_by(std::size_t i) const {
    std::size_t most = 0;
    for (std::size_t b = 1; b < kBottlenecks; ++b) {
      if (shares[b][i] > shares[most][i]) most = b;
    }
    return most;
  }
};

}  // namespace rooftile
