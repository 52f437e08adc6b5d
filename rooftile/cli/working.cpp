#include "rooftile/cli/working.hpp"

#include <chrono>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "rooftile/cli/status_line.hpp"

namespace rooftile::cli {

Working::Working() {
  if (::isatty(STDERR_FILENO) != 1) return;
  try {
    thread_ = std::thread([this] { tell(); });
  } catch (const std::system_error&) {  // where the system refuses threads, nothing is said
  }
}

Working::~Working() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
  clear_status();
}

void Working::tell() {
  std::unique_lock lock(mutex_);
  for (int seconds = 1; !ended_.wait_for(lock, std::chrono::seconds(1), [&] { return over_; }); ++seconds) {
    show_status(fmt::format("working, {} s", seconds), Status::working);
  }
}

}  // namespace rooftile::cli
