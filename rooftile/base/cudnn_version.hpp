// cuDNN's versions, of which some callers print the number alone.
#pragma once

#include <utility>

namespace rooftile {

// The first two numbers of CUDNN_VERSION (cudnn_version.h): 7005 is 7.0, and from 9 on 90100 is 9.1. What is less than
// any such number is the first of them: 8 is 8.0.
constexpr std::pair<int, int> split_cudnn_version(int number) {
  constexpr int kNumber = 1000, kLaterNumber = 10000, kMinor = 100;
  if (number < kNumber) return {number, 0};
  const int major = number >= kLaterNumber ? kLaterNumber : kNumber;
  return {number / major, number % major / kMinor};
}

}  // namespace rooftile
