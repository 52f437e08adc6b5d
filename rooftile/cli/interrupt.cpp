#include "rooftile/cli/interrupt.hpp"

#include <string>
#include <unistd.h>

#include "rooftile/cli/output.hpp"
#include "rooftile/cli/status_line.hpp"

namespace rooftile::cli {
namespace {

std::atomic<bool> interrupted = false, partial = false, hurried = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void end_now(int) {
  clear_status_from_handler();
  write_raw(output_begun() ? "rooftile: stopped; what was written is partial\n"
                           : "rooftile: stopped; nothing was written\n");
  ::_exit(kInterrupted);
}

}  // namespace

void end_on_interrupt() {
  struct sigaction before = {};
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = end_now;
  sigaction(SIGINT, &action, nullptr);
}

InterruptAsked::InterruptAsked() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    interrupted = true;
    if (hurried) ::alarm(1);
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

InterruptAsked::~InterruptAsked() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

const std::atomic<bool>& InterruptAsked::flag() { return interrupted; }

void InterruptAsked::say_partial(std::string_view what) {
  partial = true;
  write_error("stopped: " + std::string(what));
}

bool InterruptAsked::said_partial() { return partial; }

OneSecondToStop::OneSecondToStop() {
  std::signal(SIGALRM, end_now);
  hurried = true;
}

OneSecondToStop::~OneSecondToStop() {
  hurried = false;
  ::alarm(0);
}

}  // namespace rooftile::cli
