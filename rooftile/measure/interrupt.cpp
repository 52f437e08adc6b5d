#include "rooftile/measure/interrupt.hpp"

#include <csignal>

namespace rooftile::measure {
namespace {

volatile std::sig_atomic_t came = 0;

void note(int /*signal*/) { came = 1; }

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return came != 0; }

}  // namespace rooftile::measure
