// Seconds that pass, whatever happens to the time of day.
#pragma once

#include <chrono>

namespace rooftile::cluster {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// How long a loop that has nothing to do sleeps: short against a chunk, long against a look at the messages.
constexpr std::chrono::milliseconds kIdle{1};

}  // namespace rooftile::cluster
