// Ctrl-C that ends the work and not the program.
#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace rooftile::cli {

// While it lives, SIGINT and SIGTERM set a flag; a second one ends the program. One at a time.
class InterruptAsked {
 public:
  InterruptAsked();
  ~InterruptAsked();
  InterruptAsked(const InterruptAsked&) = delete;
  InterruptAsked& operator=(const InterruptAsked&) = delete;

  static const std::atomic<bool>& flag();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace rooftile::cli
