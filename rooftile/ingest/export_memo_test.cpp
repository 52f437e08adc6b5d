#include "rooftile/ingest/export_memo.hpp"

#include <string>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Workload of_ops(std::size_t count) {
  Workload workload;
  workload.ops.resize(count);
  return workload;
}

TEST(ReadOnce, ReadsAKeyOnce) {
  int reads = 0;
  const auto read = [&] {
    ++reads;
    return Result<Workload>(of_ops(7));
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read_once("seven", read)->ops.size(), 7);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(read_once("seven too", read)->ops.size(), 7);
  EXPECT_EQ(reads, 2);
}

TEST(ReadOnce, KeepsNoError) {
  const auto refuse = [] { return Result<Workload>(fail(ErrorCode::bad_input, "no")); };
  EXPECT_FALSE(read_once("first refused", refuse));
  EXPECT_TRUE(read_once("first refused", [] { return Result<Workload>(of_ops(1)); }));
}

TEST(ReadOnce, LetsGoOfWhatWasUsedLongestAgo) {
  int reads = 0;
  const auto read = [&] {
    ++reads;
    return Result<Workload>(of_ops(40'000));
  };
  for (const char* key : {"a", "b", "a", "c", "a"}) (void)read_once(key, read);
  EXPECT_EQ(reads, 3);
  (void)read_once("b", read);
  EXPECT_EQ(reads, 4);
}

}  // namespace
}  // namespace rooftile
