// What rooftile-measure does with a GPU, a function for each command. Each returns the exit status of the program.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/selection.hpp"

namespace rooftile::measure {

struct Arguments {
  std::string folder;
  int device = 0;
  Selection selection;
  std::vector<std::string> benchmarks;  // of the microbenchmarks; empty: all
  int repeats = 0;                      // of each measurement; 0: 11 of a microbenchmark, 15 of a layer
  std::string device_file;              // a GPU as cuDNN describes it
  std::string gpu_id;                   // empty: by the device's name
  double budget_minutes = 0;            // for layers, and for counters; 0: without end
  bool warm = false;                    // the L2 keeps what it can between runs
  bool retry = false;                   // what was refused, and benchmarks that are done
  std::string command_line;             // for the provenance
};

inline constexpr int kOk = 0, kError = 1, kWrongUsage = 2, kInterrupted = 130;

// One line on standard error; kWrongUsage for an error of usage, else kError.
int report_error(const std::string& text);
int report_error(const Error& error);

int run_micro_command(const Arguments& arguments);
int run_layers_command(const Arguments& arguments);
int run_counters_command(const Arguments& arguments);
// Microbenchmarks, layers, the GPU file; counters where Nsight Compute is there.
int run_all_command(const Arguments& arguments);
// gpu.toml once more, from the files; needs no GPU.
int run_gpu_file_command(const Arguments& arguments);
// What run_counters_command lets Nsight Compute look at.
int run_replay_command(const Arguments& arguments);
// The layers that would be measured; needs no GPU.
int run_list_command(const Arguments& arguments);

// For each attention layer chosen, how many fused kernels cuDNN has on the GPU of device_file; needs no GPU.
int run_attention_kernels_command(const Arguments& arguments);

}  // namespace rooftile::measure
