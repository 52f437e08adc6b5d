#include "rooftile/base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace rooftile {

unsigned machine_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void on_threads(std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&](std::size_t number) {
    try {
      work(number);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  std::size_t started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(guarded, started);
  } catch (const std::system_error&) {
    // The system has no more of them (ulimit -u, a container's limit).
  }
  guarded(0);
  for (std::thread& other : others) other.join();
  for (; started < threads; ++started) guarded(started);
  if (first) std::rethrow_exception(first);
}

void each_on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  on_threads(std::min<std::size_t>(machine_threads(), count), [&](std::size_t) {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  });
}

}  // namespace rooftile
