#include "rooftile/ops/stream_kernel.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(StreamKernel, FlatKernelsHaveAThreadForEveryFourElements) {
  const StreamKernel kernel = flat_kernel(Bytes(8), Bytes(4), 513, {.operations = 7});
  EXPECT_EQ(kernel.ctas, 2);
  EXPECT_EQ(kernel.threads, 128);
  EXPECT_EQ(kernel.steps, 1);
  EXPECT_EQ(kernel.reread, Bytes(0));
  EXPECT_EQ(flat_kernel({}, {}, 0, {}).ctas, 1);
}

// 3 rows of 2,500 elements by 1,024 threads: three loads a thread, in each of two passes, and a barrier between them.
TEST(StreamKernel, RowsByScalarLoads) {
  const StreamKernel kernel =
      row_kernel({.rows = 3, .columns = 2500, .inputs = 2, .passes = 2, .element = Bytes(2)}, {.operations = 1});
  EXPECT_EQ(kernel.ctas, 3);
  EXPECT_EQ(kernel.threads, 1024);
  EXPECT_EQ(kernel.steps, 3);
  EXPECT_EQ(kernel.resteps, 4);
  EXPECT_EQ(kernel.read, Bytes(30000));
  EXPECT_EQ(kernel.write, Bytes(15000));
  EXPECT_EQ(kernel.reread, Bytes(30000));
  EXPECT_EQ(kernel.row, Bytes(10000));
  EXPECT_EQ(kernel.work.operations, 3.0 * 3 * 1024);  // idle lanes of the last load too
}

// 100 elements by vectors of 8 need 13 threads, so one warp.
TEST(StreamKernel, ShortRowsTakeWholeWarps) {
  const StreamKernel kernel = row_kernel({.columns = 100, .per_load = 8, .element = Bytes(2)}, {});
  EXPECT_EQ(kernel.threads, 32);
  EXPECT_EQ(kernel.steps, 1);
  EXPECT_EQ(kernel.resteps, 0);
  EXPECT_EQ(kernel.reread, Bytes(0));
}

}  // namespace
}  // namespace rooftile
