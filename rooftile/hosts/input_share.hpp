// What preparing a network's input has to do with its time.
//
//   time of a step = max(GPU, cores, disk, copy)   where the loader works ahead
//                  = GPU + environment + copy      where the next input depends on the result, as a game's does
#pragma once

#include <optional>
#include <string_view>

#include "rooftile/hosts/feed.hpp"
#include "rooftile/hosts/host_machine.hpp"

namespace rooftile {

// How a network is fed.
struct Feeding {
  HostMachine host;
  std::optional<Feed> feed;  // none: by the network's inputs
};

enum class InputLimit { none, cores, disk, copy, environment };
std::string_view name_of(InputLimit limit);

struct InputShare {
  std::string host;
  Feed feed = Feed::arrays;
  double host_cores = 1;
  bool ahead = true;          // the next batch is prepared while the GPU works
  Seconds cores, disk, copy;  // that a batch takes each of them, all cores at work
  Seconds waiting;            // of the GPU for its input

  // The slowest of the three; none where the GPU does not wait.
  InputLimit limit() const;
  // Of the GPU that would compute for so long.
  Seconds waiting_of(Seconds computing) const;
};

// Of all batches of a step that takes `computing` without. The GPU's own PCIe counts where it is the slower.
InputShare input_share(const Workload& workload, const Feeding& feeding, const Gpu& gpu, double batches,
                       Seconds computing);

}  // namespace rooftile
