#include "rooftile/base/threads.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <sys/resource.h>
#include <vector>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(EachOnThreads, TakesEveryNumberOnce) {
  std::vector<std::atomic<int>> taken(100);
  each_on_threads(taken.size(), [&](std::size_t i) { ++taken[i]; });
  for (const std::atomic<int>& times : taken) EXPECT_EQ(times, 1);
  each_on_threads(0, [](std::size_t) { FAIL() << "nothing to do"; });
}

TEST(OnThreads, CallsEachNumberOnce) {
  std::atomic<std::size_t> sum = 0;
  on_threads(5, [&](std::size_t number) { sum += 1 + 10 * number; });
  EXPECT_EQ(sum, 5u + 10 * (1 + 2 + 3 + 4));
}

TEST(OnThreads, AnExceptionComesWhenAllHaveEnded) {
  std::atomic<int> ended = 0;
  const auto work = [&](std::size_t number) {
    if (number == 2) throw std::runtime_error("two");
    ++ended;
  };
  EXPECT_THROW(on_threads(4, work), std::runtime_error);
  EXPECT_EQ(ended, 3);
}

// In a process of its own: with this little address space the system has room for a few stacks.
TEST(OnThreads, NumbersWithoutAThreadRunAfterTheOthers) {
  const auto run = [] {
    const rlimit few = {rlim_t{1} << 28, rlim_t{1} << 28};
    if (::setrlimit(RLIMIT_AS, &few) != 0) std::_Exit(2);
    std::atomic<std::size_t> calls = 0;
    on_threads(1024, [&](std::size_t) { ++calls; });
    std::_Exit(calls == 1024 ? 0 : 1);
  };
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer needs more address space than that";
#endif
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rooftile
