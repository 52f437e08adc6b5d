#include "rooftile/execution/parallelism.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Parallelism& way) {
  const auto good = check(way);
  return good ? "" : good.error().text();
}

TEST(Parallelism, ShardingHasTheNamesOfFrameworks) {
  for (const std::string& name : sharding_names()) EXPECT_EQ(name_of(*parse_sharding(name)), name);
  EXPECT_EQ(parse_sharding("FULL_SHARD (PURE)"), Sharding::all);
  EXPECT_EQ(parse_sharding("zero1"), Sharding::optimizer);
  EXPECT_FALSE(parse_sharding("half"));
}

TEST(Parallelism, DispatchersHaveTheirNames) {
  for (const std::string& name : dispatcher_names()) EXPECT_EQ(name_of(*parse_dispatcher(name)), name);
  EXPECT_EQ(parse_dispatcher("HybridEP"), Dispatcher::deepep);
  EXPECT_FALSE(parse_dispatcher("pigeons"));
}

TEST(Parallelism, IsPrintedWithoutWhatIsOne) {
  Parallelism way;
  EXPECT_EQ(print(way), "one GPU");
  way.tp = 8, way.dp = 2, way.sharding = Sharding::optimizer;
  EXPECT_EQ(print(way), "tp 8, dp 2, sharding optimizer");
  way.etp = 8;
  EXPECT_EQ(print(way), "tp 8, dp 2, sharding optimizer");
  way.ep = 16, way.etp = 1;
  EXPECT_EQ(print(way), "tp 8, dp 2, ep 16, etp 1, sharding optimizer");
}

TEST(Parallelism, WrongDegreesAreOneLine) {
  Parallelism way;
  EXPECT_EQ(error_of(way), "");
  way.tp = 0;
  EXPECT_THAT(error_of(way), HasSubstr("tp 0 is not between 1 and"));
  way = {}, way.dp = 6, way.ep = 4;
  EXPECT_EQ(error_of(way), "ep 4 does not divide the 6 GPUs of a stage");
  way = {}, way.tp = 2, way.dp = 2, way.ep = 4;
  EXPECT_EQ(error_of(way), "ep 4 x etp 2 does not divide the 4 GPUs of a stage");
  way.etp = 1;
  EXPECT_EQ(error_of(way), "");
  way = {}, way.tp = 4, way.etp = 2;
  EXPECT_EQ(error_of(way), "etp 2 is neither 1 nor tp, 4");
  way = {}, way.vp = 2;
  EXPECT_THAT(error_of(way), HasSubstr("pp is 1"));
  way = {}, way.pp = 4, way.vp = 2, way.micro_batches = 6;
  EXPECT_THAT(error_of(way), HasSubstr("pp 4 does not divide 6 micro-batches"));
  way = {}, way.pp = 2, way.dp = 2, way.sharding = Sharding::all;
  EXPECT_THAT(error_of(way), HasSubstr("not combined with pp"));
}

}  // namespace
}  // namespace rooftile
