// A space of thirty blocks that computes in milliseconds, for the tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "rooftile/explore/evaluator.hpp"
#include "rooftile/explore/explore.hpp"
#include "rooftile/explore/fingerprint.hpp"
#include "rooftile/explore/results_bytes.hpp"
#include "rooftile/explore/space_file.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile::cluster {

struct TestSpace {
  DesignSpace space = parse_space(R"(
gpu = "titan-xp-delta"
[axes]
sm_count = { values = [20, 30, 40, 60, 80] }
mac_per_sm = { multiples = { from = 1, to = 4, steps = 20 } }
registers = { multiples = [0.25, 1, 2] }
dram_bandwidth = { multiples = { from = 1, to = 4, steps = 200 } }
[[workload]]
model = "alexnet"
)",
                                  "space")
                          .value();
  std::unique_ptr<const Evaluator> evaluator = make();
  ExploreOptions options = asked();
  Fingerprint fingerprint = fingerprint_of(space, *evaluator, options, "1", "delta");

  // Of the whole space, by one thread.
  std::string expected() const { return results_bytes(explore(space, *evaluator, options).value()); }

  std::string expected(BlockRange blocks) const {
    return results_bytes(explore_blocks(space, *evaluator, options, BlockSet(blocks), nothing()).value().results);
  }

  ExploreState nothing() const { return {ExploreResults(space, options.results), {}}; }

 private:
  std::unique_ptr<const Evaluator> make() const {
    for (const ZooEntry& entry : zoo()) {
      if (entry.name == "alexnet") {
        return std::move(make_evaluator(space, {{.workload = entry.build(16)}}, {.method = Method::delta}).value());
      }
    }
    return nullptr;
  }
  static ExploreOptions asked() {
    ExploreOptions options;
    options.results = {.best = 7,
                       .rank_by = Metric::time,
                       .pareto = {metric_of(Parameter::sm_count), metric_of(Parameter::dram_bandwidth)},
                       .heat_map = std::pair(0, 1)};
    return options;
  }
};

}  // namespace rooftile::cluster
