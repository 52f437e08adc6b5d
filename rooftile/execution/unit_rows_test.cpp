#include "rooftile/execution/unit_rows.hpp"

#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

Workload unit_rows(const char* reduction) {
  Workload workload;
  workload.name = "rows";
  const Shape rows = {4, 32}, lengths = {4, 1};
  workload.tensors = {{"x", rows}, {"length", lengths}, {"bounded", lengths}, {"each", rows}, {"y", rows}};
  workload.ops = {{"length", Reduce{.function = reduction}, {0}, {1}},
                  {"bound", Elementwise{.function = "clip"}, {1}, {2}},
                  {"each", Move{.function = "expand"}, {2}, {3}},
                  {"divide", Elementwise{.function = "div"}, {0, 3}, {4}}};
  workload.inputs = {0};
  workload.outputs = {4};
  return workload;
}

TEST(UnitRows, AreOneKernelOfRows) {
  const Workload fused = fuse_unit_rows(unit_rows("l2"));
  ASSERT_EQ(fused.ops.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Normalize>(fused.ops[0].kind));
  EXPECT_THAT(fused.ops[0].inputs, ElementsAre(0));
  EXPECT_THAT(fused.ops[0].members, ElementsAre("length", "bound", "each", "divide"));
}

TEST(UnitRows, OtherReductionsAndEagerModeAreLeftAlone) {
  EXPECT_EQ(fuse_unit_rows(unit_rows("sum")).ops.size(), 4U);
  EXPECT_GT(launched(unit_rows("l2"), {}).ops.size(), 1U);
  EXPECT_EQ(launched(unit_rows("l2"), {.execution = Execution::compiled}).ops.size(), 1U);
}

}  // namespace
}  // namespace rooftile
