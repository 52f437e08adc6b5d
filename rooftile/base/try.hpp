// TRY(expression): the value of a Result, or a return of its error from the function around it.
//
//     const Gpu gpu = TRY(find_gpu(name));
//     TRY(check(options));  // a Result<void>, or a value that is not needed
//
// Not among the elements of a braced list: g++ 12 leaks the elements made before it when it returns.
#pragma once

#include <utility>

#include "rooftile/base/error.hpp"

namespace rooftile {

template <class T>
T value_of_result(Result<T>&& result) {
  return *std::move(result);
}
inline void value_of_result(Result<void>&&) {}

}  // namespace rooftile

// A statement expression: g++ and clang have it, and nothing in standard C++ returns from within an expression.
#define TRY(...)                                                                 \
  __extension__({                                                                \
    auto result_of_try = (__VA_ARGS__);                                          \
    if (!result_of_try) return tl::unexpected(std::move(result_of_try).error()); \
    ::rooftile::value_of_result(std::move(result_of_try));                       \
  })
