// Ways to spread a training step over GPUs (docs/parallel.md) as text, JSON and CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/parallel/search.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct ParallelisationReport {
  std::string model, precision;
  const GpuCluster& cluster;
  const Gpu& gpu;
  int gpus = 1;
  std::int64_t batch = 1, seq_len = 0;  // samples of a step; positions of each, 0: no text
  const std::vector<WayTried>& tried;   // as search_ways() sorts them
  std::size_t shown = 10;               // rows of the table, and ways in JSON and CSV
  double memory_share = 1;
  bool stopped = false;   // before all ways were tried
  std::string note = {};  // what the network was not made for
};

std::string parallelisation_table(const ParallelisationReport& report, std::size_t width = kAnyWidth);
// "rooftile/parallelisation/1".
std::string parallelisation_json(const ParallelisationReport& report);
std::string parallelisation_csv(const ParallelisationReport& report);
// Time against memory of all ways that fit, with the front.
std::string parallelisation_svg(const ParallelisationReport& report);

}  // namespace rooftile
