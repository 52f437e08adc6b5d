// The numbers of parts that libraries split k into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rooftile/base/rounded.hpp"

namespace rooftile {

// In order; how many are up to a number is looked up rather than searched for.
class SplitCounts {
 public:
  template <std::size_t N, std::size_t M>
  constexpr SplitCounts(const std::array<int, N>& counts, const std::array<std::uint8_t, M>& up_to)
      : counts_(counts.data()), up_to_(up_to.data()), size_(N), first_(counts.front()), last_(counts.back()) {}
  constexpr explicit SplitCounts(const int& one) : counts_(&one), first_(one), last_(one) {}
  SplitCounts(int&&) = delete;  // would not outlive the call

  int operator[](std::size_t i) const { return counts_[i]; }

  // How many of them are no more than `most`; less than `least`.
  std::size_t up_to(double most) const {
    if (most >= last_) return size_;
    return most >= first_ ? up_to_[static_cast<std::size_t>(most)] : 0;
  }
  std::size_t below(double least) const { return least > last_ ? size_ : up_to(rounded_up(least) - 1); }

 private:
  const int* counts_;
  const std::uint8_t* up_to_ = nullptr;  // by `most`, from the first of several to the last
  std::size_t size_ = 1;
  double first_, last_;
};

// For SplitCounts: of each number up to the last of `kCounts` how many of them are no more.
template <const auto& kCounts>
constexpr auto counts_up_to() {
  std::array<std::uint8_t, kCounts.back() + 1> up_to{};
  for (const int count : kCounts) {
    for (std::size_t most = count; most < up_to.size(); ++most) ++up_to[most];
  }
  return up_to;
}

}  // namespace rooftile
