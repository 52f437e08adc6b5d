// Ctrl-C: ends the program with one line, or only the work where a command keeps what is done.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <string_view>

namespace rooftile::cli {

inline constexpr int kInterrupted = 130;  // the exit status, as a shell has it

// From now on SIGINT ends the program with kInterrupted and a line that says whether anything was written; unless it is
// ignored, as a shell's background jobs have it.
void end_on_interrupt();

// While it lives, SIGINT and SIGTERM set a flag; a second one ends the program. One at a time.
class InterruptAsked {
 public:
  InterruptAsked();
  ~InterruptAsked();
  InterruptAsked(const InterruptAsked&) = delete;
  InterruptAsked& operator=(const InterruptAsked&) = delete;

  static const std::atomic<bool>& flag();

  // Writes "stopped: …", of a result that is partial.
  static void say_partial(std::string_view what);
  static bool said_partial();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// While it lives, work that a signal of InterruptAsked has not stopped within a second ends with the program: where one
// step of it may take long, and nothing that was done is worth the wait.
class OneSecondToStop {
 public:
  OneSecondToStop();
  ~OneSecondToStop();
  OneSecondToStop(const OneSecondToStop&) = delete;
  OneSecondToStop& operator=(const OneSecondToStop&) = delete;
};

}  // namespace rooftile::cli
