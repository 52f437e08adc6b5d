#include "rooftile/predict/reuse.hpp"

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

constexpr double kMap = 2 * 4 * 8 * 8;  // bytes of one in INT8

// A block of two convolutions, the second of which adds what the first reads, as engines run it.
Workload block() {
  Workload workload;
  workload.name = "block";
  for (const char* name : {"x", "a", "y"}) workload.tensors.push_back({name, {2, 4, 8, 8}, DType::int8});
  for (const char* name : {"w", "v"}) workload.tensors.push_back({name, {4, 4, 1, 1}, DType::int8, true});
  workload.ops = {{"first", Conv{}, {0, 3}, {1}, {"first", "relu"}},
                  {"second", Conv{}, {1, 4, 0}, {2}, {"second", "add"}}};
  return workload;
}

TEST(Reuse, AResidualIsAsOldAsAllThatWasUsedSince) {
  const Workload workload = block();
  const std::vector<Bytes> ages = epilogue_ages(workload);
  EXPECT_EQ(epilogue_inputs(workload, workload.ops[1]), std::vector<TensorId>{0});
  EXPECT_EQ(ages[0], Bytes(0)) << "nothing is fused into it";
  EXPECT_EQ(ages[1], Bytes(3 * kMap + 16)) << "its operands, its result and the residual itself";
}

// Of two residuals the older one counts, whichever is named first.
TEST(Reuse, TheOldestOfTwoResidualsCounts) {
  Workload workload = block();
  workload.tensors.push_back({"b", {2, 4, 8, 8}, DType::int8});
  workload.ops.insert(workload.ops.begin() + 1, {"between", Conv{}, {1, 3}, {5}, {"between"}});
  Op& last = workload.ops.back();
  last.inputs = {5, 4, 0, 1};
  const Bytes older = epilogue_ages(workload)[2];
  EXPECT_EQ(older, Bytes(4 * kMap + 2 * 16)) << "four maps and two filters since x";
  std::swap(last.inputs[2], last.inputs[3]);
  EXPECT_EQ(epilogue_ages(workload)[2], older);
}

TEST(Reuse, WhatNothingHasUsedIsInNoL2) {
  Workload workload = block();
  workload.ops[1].inputs[2] = 5;
  workload.tensors.push_back({"other", {2, 4, 8, 8}, DType::int8});
  EXPECT_EQ(epilogue_ages(workload)[1], kLongAgo);
}

TEST(Reuse, AnL2KeepsWhatFitsAndLosesWhatDoesNot) {
  const Gpu gpu = find_gpu("l40s").value();
  const MemoryLevel& l2 = gpu.level("L2");
  EXPECT_GT(share_kept(l2.capacity * 0.3, l2), 0.999);
  EXPECT_LT(share_kept(l2.capacity * 3, l2), 0.001);
  EXPECT_LT(share_kept(kLongAgo, l2), 1e-9);
}

PredictOptions in_engine() {
  return {.precision = DType::int8, .nhwc = true, .execution = Execution::engine, .in_network = true};
}

// The block at 64 channels of 56 x 56, a residual of 200 kB an image.
Workload large_block(std::int64_t images) {
  Workload workload = block();
  for (std::size_t i = 0; i < 3; ++i) workload.tensors[i].shape = {images, 64, 56, 56};
  for (std::size_t i = 3; i < 5; ++i) workload.tensors[i].shape = {64, 64, 1, 1};
  for (Op& op : workload.ops) {
    auto& conv = std::get<Conv>(op.kind);
    conv = {.batch = images, .in_channels = 64, .out_channels = 64};
    conv.axes[1].in = conv.axes[2].in = 56;
  }
  return workload;
}

TEST(Reuse, ResidualsThatTheL2HoldsDoNotComeFromDram) {
  const Gpu gpu = find_gpu("l40s").value();
  const auto second = [&](std::int64_t images) {
    const Workload workload = large_block(images);
    return estimate(workload, workload.ops[1], gpu, in_engine());
  };
  const double few = 16, many = 1024;
  const Seconds per_image = second(static_cast<std::int64_t>(many)).time / many;
  EXPECT_LT(second(static_cast<std::int64_t>(few)).time / few, per_image * 0.8);
}

TEST(Reuse, ZerosSaveABoardAtItsPowerCapTime) {
  Workload workload = large_block(256);
  auto& conv = std::get<Conv>(workload.ops[1].kind);  // with enough to compute
  conv.axes[1] = conv.axes[2] = {.in = 56, .filter = 3, .pad_begin = 1, .pad_end = 1};
  workload.tensors[4].shape = {64, 64, 3, 3};
  Gpu gpu = find_gpu("t4").value();
  const auto time = [&](bool rectified) {
    workload.tensors[1].rectified = rectified;
    return estimate(workload, workload.ops[1], gpu, in_engine()).time;
  };
  EXPECT_LT(time(true), time(false));
  gpu.tdp = Watts(2000);
  EXPECT_EQ(time(true), time(false)) << "power no longer limits it";
}

}  // namespace
}  // namespace rooftile
