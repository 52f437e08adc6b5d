#include "rooftile/cli/status_line.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <unistd.h>

#include "rooftile/cli/output.hpp"

namespace rooftile::cli {
namespace {

enum class Shown { nothing, working, progress };

std::mutex mutex;
std::atomic<Shown> shown = Shown::nothing;
static_assert(std::atomic<Shown>::is_always_lock_free, "a signal handler reads it");

constexpr std::string_view kEmptyLine = "\r\033[K";

}  // namespace

void write_raw(std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

void show_status(std::string_view text, Status what) {
  static const bool terminal = ::isatty(STDERR_FILENO) == 1;
  if (!terminal) return;
  const std::lock_guard<std::mutex> lock(mutex);
  if (what == Status::working && (shown == Shown::progress || printing_begun())) return;
  write_raw(std::string(kEmptyLine).append(text));
  shown = what == Status::working ? Shown::working : Shown::progress;
}

void clear_status() {
  if (shown == Shown::nothing) return;
  const std::lock_guard<std::mutex> lock(mutex);
  write_raw(kEmptyLine);
  shown = Shown::nothing;
}

void clear_status_from_handler() {
  if (shown != Shown::nothing) write_raw(kEmptyLine);
}

}  // namespace rooftile::cli
