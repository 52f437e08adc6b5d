#include "rooftile/predict/largest_batch.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// The answer, and how often memory was asked for.
std::pair<std::int64_t, int> search(const std::function<double(double)>& memory, double capacity) {
  int asked = 0;
  const auto found = largest_batch(
      [&](std::int64_t batch) -> Result<Bytes> {
        ++asked;
        return Bytes(memory(static_cast<double>(batch)));
      },
      Bytes(capacity));
  return {found.value(), asked};
}

TEST(LargestBatch, OfALineTakesAFewLooks) {
  for (const std::int64_t batch : {1, 2, 3, 7, 64, 1000, 123456}) {
    const auto [found, asked] =
        search([](double b) { return 100 + 3 * b; }, 100 + 3.0 * static_cast<double>(batch) + 2);
    EXPECT_EQ(found, batch);
    EXPECT_LE(asked, 4);
  }
}

TEST(LargestBatch, IsExactWhereMemoryIsNoLine) {
  const auto steps = [](double b) { return 1000 * std::ceil(b / 10) + b * std::log(b + 1); };
  for (const double capacity : {1500.0, 9999.0, 54321.0, 1e6}) {
    const auto [found, asked] = search(steps, capacity);
    EXPECT_LE(steps(static_cast<double>(found)), capacity);
    EXPECT_GT(steps(static_cast<double>(found + 1)), capacity);
    EXPECT_LE(asked, 40);
  }
}

TEST(LargestBatch, WhatIsKnownShortensTheSearch) {
  int asked = 0;
  const auto memory = [&](std::int64_t batch) -> Result<Bytes> {
    ++asked;
    return Bytes(100 + 3.0 * static_cast<double>(batch));
  };
  std::map<std::int64_t, Bytes> known;
  for (const std::int64_t batch : {1, 500, 501, 2000}) known[batch] = *memory(batch);
  for (const std::int64_t batch : {1, 499, 500, 700, 1999, 2000, 9000}) {
    asked = 0;
    EXPECT_EQ(largest_batch(memory, *memory(batch), known).value(), batch);
    EXPECT_LE(asked, 4) << batch << ", one of them for the argument";
  }
}

TEST(LargestBatch, HasAnEnd) {
  EXPECT_EQ(search([](double) { return 1; }, 10).first, kMostBatch);
  EXPECT_EQ(search([](double b) { return b; }, 0.5).first, 0);
  EXPECT_FALSE(largest_batch([](std::int64_t) -> Result<Bytes> { return fail(ErrorCode::bad_input, "no"); }, Bytes(1)));
}

}  // namespace
}  // namespace rooftile
