// How far a long piece of work is: one line of a terminal, drawn again and again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace rooftile::cli {

// On standard error if that is a terminal, once the work takes over a second, ten times a second; gone when the object
// is. Takes no more than the width of the terminal. Any thread.
class Progress {
 public:
  // `unit`: what is counted, in the plural; it is to outlive the object. `before`: how many were done before it began,
  // which say nothing about the rate.
  explicit Progress(std::string_view unit, std::uint64_t before = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::uint64_t done, std::uint64_t all);
  // The same where parts of a piece count.
  void show_part(double done, double all);

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(double done, double all, double seconds, std::size_t columns) const;

  std::string_view unit_;
  std::uint64_t before_;
  std::mutex mutex_;
  bool terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now(), last_ = {};
};

}  // namespace rooftile::cli
