// What measures one layer: the GPU, or a stand-in for tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/measure/layer_case.hpp"
#include "rooftile/measure/refused.hpp"
#include "rooftile/measure/summary.hpp"

namespace rooftile::measure {

// A kernel that ran, as CUPTI reports it.
struct KernelRun {
  std::string name;
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  double registers = 0;    // of a thread
  double smem_bytes = 0;   // of a CTA, static and dynamic
  double duration_us = 0;  // of one run, under the profiler

  bool operator==(const KernelRun&) const = default;
};

struct LayerTiming {
  Summary time_us;                 // of one run of the layer on the GPU
  std::vector<KernelRun> kernels;  // in the order in which they ran; empty without CUPTI
  std::string algorithm;           // that ran, by its name in docs/formats.md; empty where there is no choice
  std::string launched;            // "graph" or "eager": how the timed runs were queued
  int input_sets = 1;              // rotated through, so that the L2 is cold; 1 where one set already exceeds it
  double error = 0;                // ||out - reference|| / ||reference|| over the elements compared
  double workspace_bytes = 0;

  bool operator==(const LayerTiming&) const = default;
};

class LayerRunner {
 public:
  virtual ~LayerRunner() = default;

  // Checks the result against a reference, then times it.
  virtual Outcome<LayerTiming> time(const LayerCase& layer) = 0;

  // Runs it `runs` times with nothing around it, for a profiler that looks on.
  virtual Outcome<void> replay(const LayerCase& layer, int runs) = 0;
};

}  // namespace rooftile::measure
