// How far a long piece of work is: one line of a terminal, drawn again and again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rooftile::cli {

// On standard error if that is a terminal, once the work takes over a second, ten times a second; gone when the object
// is. Takes no more than the width of the terminal.
class Progress {
 public:
  // `unit`: what is counted, in the plural; it is to outlive the object.
  explicit Progress(std::string_view unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One thread at a time.
  void show(std::uint64_t done, std::uint64_t all);

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(std::uint64_t done, std::uint64_t all, double seconds, std::size_t columns) const;

  std::string_view unit_;
  bool terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now(), last_ = {};
};

}  // namespace rooftile::cli
