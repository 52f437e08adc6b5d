#include "rooftile/measure/interrupt.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace rooftile::measure {
namespace {

// In a process of its own, which the second signal ends.
TEST(InterruptDeathTest, TheFirstIsNotedTheSecondEnds) {
  EXPECT_EXIT(
      {
        watch_interrupts();
        const bool before = interrupted();
        std::raise(SIGINT);
        if (!before && interrupted()) std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace rooftile::measure
