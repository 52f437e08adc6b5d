// The machine around a GPU, as far as it prepares what the GPU computes: data/hosts, or a user's own file.
//
//     const HostMachine host = find_host_machine("xeon-e5-2680-v4-x2").value();
//     assert(host.cores == 28);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

struct HostMachine {
  std::string id, name;
  double cores = 1;
  Seconds decode;            // of a JPEG image, a million pixels of it, one core
  Seconds augment;           // crop, resize, flip, normalise: a million pixels of the result, one core
  Seconds tokenise;          // a million tokens, one core
  Seconds environment_step;  // of a game, one core
  BytesPerSecond disk;
  int pcie_generation = 3;
  std::optional<double> launch_ratio;   // what issuing an operator takes, to what it takes a server
  std::optional<double> single_thread;  // PassMark's rating of one thread
  std::optional<Dollars> price;         // without GPUs
  std::vector<Fact> facts;              // all of these with their sources
};

// Ids of the hosts that ship with the program, sorted.
std::vector<std::string> host_machine_ids();

// Reads the text of a host file; `where` names it in errors. Errors: bad TOML, an unknown key or source, a number
// without a unit or outside its range, a fact that is missing; each with line and column.
Result<HostMachine> parse_host_machine(std::string_view toml, std::string_view where);

// An id, or a path ending in ".toml". Unknown: an error with the nearest id.
Result<HostMachine> find_host_machine(std::string_view selector);

}  // namespace rooftile
