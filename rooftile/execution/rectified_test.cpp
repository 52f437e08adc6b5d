#include "rooftile/execution/rectified.hpp"

#include <gtest/gtest.h>

#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

// x -> relu -> max pool -> conv -> sum with a ReLU'd map -> concat of the pool and the ReLU
Workload rectifying() {
  Workload workload;
  workload.name = "rectifying";
  for (const char* name : {"x", "relu", "pool", "conv", "sum", "both"})
    workload.tensors.push_back({name, {2, 4, 8, 8}});
  workload.tensors.push_back({"weight", {4, 4, 1, 1}, DType::fp32, true});
  workload.ops = {{"relu", Elementwise{.function = "relu"}, {0}, {1}},
                  {"pool", Pool{.function = "max"}, {1}, {2}},
                  {"conv", Conv{}, {2, 6}, {3}},
                  {"sum", Elementwise{.function = "add"}, {3, 1}, {4}},
                  {"both", Move{.function = "concat"}, {2, 1}, {5}}};
  return workload;
}

TEST(Rectified, ZerosOfAReluReachWhatCopiesThem) {
  const Workload marked = mark_rectified(rectifying());
  EXPECT_FALSE(marked.tensors[0].rectified);
  EXPECT_TRUE(marked.tensors[1].rectified) << "the ReLU's own";
  EXPECT_TRUE(marked.tensors[2].rectified) << "maxima of its windows";
  EXPECT_TRUE(marked.tensors[5].rectified) << "both joined";
}

TEST(Rectified, ArithmeticLeavesNoZeros) {
  const Workload marked = mark_rectified(rectifying());
  EXPECT_FALSE(marked.tensors[3].rectified) << "a convolution's";
  EXPECT_FALSE(marked.tensors[4].rectified) << "a sum's, although one side has them";
}

}  // namespace
}  // namespace rooftile
