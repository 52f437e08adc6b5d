// Work on several threads at once.
#pragma once

#include <cstddef>
#include <functional>

namespace rooftile {

// At least 1; what the machine runs at once.
unsigned machine_threads();

// Calls work(0) … work(threads - 1) at once, work(0) on the thread of the caller. The numbers for which the system has
// no thread left are called one after another, once work(0) is through; so a number should take what others have left,
// or its own share. An exception of any of them is thrown when all have ended.
void on_threads(std::size_t threads, const std::function<void(std::size_t)>& work);

// Calls work(0) … work(count - 1) on as many threads as the machine has: each takes the next number that is left.
void each_on_threads(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace rooftile
