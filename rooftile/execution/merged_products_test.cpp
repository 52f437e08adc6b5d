#include "rooftile/execution/merged_products.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/workload/test_workload.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kHidden = 256, kKeys = 64, kFfn = 512;

// Queries, keys and values of one token, then a gated MLP.
class Block {
 public:
  Workload build() {
    const TensorId x = tensor("x", kHidden);
    workload_.inputs = {x};
    const TensorId q = view("q", product("q", x, kHidden)), k = view("k", product("k", x, kKeys));
    const TensorId v = product("v", x, kKeys), seen = tensor("attention", kHidden);
    Attention attention;
    attention.heads = 8;
    attention.kv_heads = 2;
    attention.head_dim = 32;
    workload_.ops.push_back({"attention", attention, {q, k, v}, {seen}});
    const TensorId gate = product("gate", seen, kFfn), silu = tensor("silu", kFfn), gated = tensor("gated", kFfn);
    workload_.ops.push_back({"silu", Elementwise{.function = "silu"}, {gate}, {silu}});
    const TensorId up = product("up", seen, kFfn);
    workload_.ops.push_back({"gated", Elementwise{.function = "mul"}, {silu, up}, {gated}});
    workload_.outputs = {product("down", gated, kHidden)};
    return std::move(workload_);
  }

 private:
  TensorId tensor(const std::string& name, std::int64_t width, bool constant = false) {
    workload_.tensors.push_back({name, {1, width}, DType::fp32, constant});
    return workload_.tensors.size() - 1;
  }

  TensorId product(const std::string& name, TensorId x, std::int64_t columns) {
    const std::int64_t terms = workload_.tensors[x].shape.back();
    const TensorId weights = tensor(name + ".weight", columns * terms, true), y = tensor(name, columns);
    workload_.ops.push_back({name, Gemm{.n = columns, .k = terms, .trans_b = true}, {x, weights}, {y}});
    return y;
  }

  TensorId view(const std::string& name, TensorId x) {
    const TensorId y = tensor(name + "/split", workload_.tensors[x].shape.back());
    workload_.ops.push_back({name + "/split", View{.function = "reshape"}, {x}, {y}});
    return y;
  }

  Workload workload_;
};

std::int64_t columns(const Workload& workload, const std::string& name) {
  return std::get<Gemm>(op_named(workload, name).kind).n;
}

TEST(MergedProducts, HaveQueriesKeysAndValuesSideBySide) {
  const Workload merged = merge_products(Block().build());
  const Op& qkv = op_named(merged, "q");
  EXPECT_THAT(qkv.members, ElementsAre("q", "k", "v"));
  EXPECT_EQ(columns(merged, "q"), kHidden + 2 * kKeys);
  EXPECT_EQ(qkv.outputs.size(), 3U);
}

TEST(MergedProducts, TakeTheTwoOfAGatedMlp) {
  const Workload merged = merge_products(Block().build());
  EXPECT_THAT(op_named(merged, "gate").members, ElementsAre("gate", "up"));
  EXPECT_EQ(columns(merged, "gate"), 2 * kFfn);
  EXPECT_EQ(columns(merged, "down"), kHidden);
}

TEST(MergedProducts, LoadTheSameWeights) {
  const Workload workload = Block().build();
  const auto weights = [](const Workload& one) {
    double sum = 0;
    for (const Op& op : one.ops) {
      const auto* gemm = std::get_if<Gemm>(&op.kind);
      if (gemm != nullptr) sum += static_cast<double>(gemm->n * gemm->k);
    }
    return sum;
  };
  EXPECT_EQ(weights(merge_products(workload)), weights(workload));
}

TEST(MergedProducts, AreAnEnginesAndNotLlamaCpps) {
  const auto has_up = [](const LaunchOptions& options) {
    const Workload workload = launched(Block().build(), options);
    return std::any_of(workload.ops.begin(), workload.ops.end(), [](const Op& op) { return op.name == "up"; });
  };
  EXPECT_FALSE(has_up({.execution = Execution::engine, .precision = DType::fp16}));
  EXPECT_TRUE(has_up({.execution = Execution::engine, .precision = DType::fp16, .llama_cpp = true}));
  EXPECT_TRUE(has_up({.execution = Execution::eager, .precision = DType::fp16}));
}

// A router's choice is known only after its product, so what follows waits for no other.
TEST(MergedProducts, WaitForNothingButLightWork) {
  Workload workload;
  workload.tensors = {
      {"x", {4, 8}}, {"w", {8, 8}, DType::fp32, true}, {"v", {8, 8}, DType::fp32, true}, {"y", {4, 8}}, {"p", {4, 8}},
      {"z", {4, 8}}};
  const Gemm product{.m = 4, .n = 8, .k = 8};
  workload.ops = {{"first", product, {0, 1}, {3}}, {"softmax", Softmax{}, {3}, {4}}, {"second", product, {0, 2}, {5}}};
  workload.inputs = {0};
  workload.outputs = {4, 5};
  EXPECT_THAT(op_names(merge_products(workload)), ElementsAre("first", "softmax", "second"));
  workload.ops[1].kind = Elementwise{.function = "relu"};
  EXPECT_THAT(op_names(merge_products(workload)), ElementsAre("first", "softmax"));
}

}  // namespace
}  // namespace rooftile
