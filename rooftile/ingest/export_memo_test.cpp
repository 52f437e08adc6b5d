#include "rooftile/ingest/export_memo.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Workload of_ops(std::size_t count) {
  Workload workload;
  workload.ops.resize(count);
  return workload;
}

// One tensor of so many rows a sample, rounded up to a multiple.
Workload of_rows(std::int64_t batch, std::int64_t multiple) {
  Workload workload;
  workload.batch_size = batch;
  workload.tensors = {{"x", {(3 * batch + multiple - 1) / multiple * multiple, 5}}};
  return workload;
}

TEST(ReadOnce, ReadsAKeyOnce) {
  int reads = 0;
  const auto read = [&] {
    ++reads;
    return Result<Workload>(of_ops(7));
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read_once("seven", 1, read)->ops.size(), 7);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(read_once("seven too", 1, read)->ops.size(), 7);
  EXPECT_EQ(reads, 2);
}

TEST(ReadOnce, KeepsNoError) {
  const auto refuse = [] { return Result<Workload>(fail(ErrorCode::bad_input, "no")); };
  EXPECT_FALSE(read_once("first refused", 1, refuse));
  EXPECT_TRUE(read_once("first refused", 1, [] { return Result<Workload>(of_ops(1)); }));
}

TEST(ReadOnce, TwoBatchSizesTellAboutAll) {
  int reads = 0;
  const auto at = [&](std::int64_t batch) {
    return read_once("rows", batch,
                     [&] {
                       ++reads;
                       return Result<Workload>(of_rows(batch, 1));
                     })
        .value();
  };
  for (const std::int64_t batch : {2, 8, 5, 1, 64, 2}) EXPECT_EQ(at(batch), of_rows(batch, 1)) << batch;
  EXPECT_EQ(reads, 2);
}

TEST(ReadOnce, WhereNoThirdFollowsFromTwoEachIsRead) {
  int reads = 0;
  const auto at = [&](std::int64_t batch) {
    return read_once("rounded", batch,
                     [&] {
                       ++reads;
                       return Result<Workload>(of_rows(batch, 8));
                     })
        .value();
  };
  for (const std::int64_t batch : {1, 3, 3, 2}) EXPECT_EQ(at(batch), of_rows(batch, 8)) << batch;
  EXPECT_EQ(reads, 3);
}

TEST(ReadOnce, LetsGoOfWhatWasUsedLongestAgo) {
  int reads = 0;
  const auto read = [&] {
    ++reads;
    return Result<Workload>(of_ops(40'000));
  };
  for (const char* key : {"a", "b", "a", "c", "a"}) (void)read_once(key, 1, read);
  EXPECT_EQ(reads, 3);
  (void)read_once("b", 1, read);
  EXPECT_EQ(reads, 4);
}

}  // namespace
}  // namespace rooftile
