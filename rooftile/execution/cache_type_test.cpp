#include "rooftile/execution/cache_type.hpp"

#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"

namespace rooftile {
namespace {

// One query after `kv_len` - `q_len` positions of a cache.
Workload one_attention(std::int64_t q_len, std::int64_t kv_len) {
  Workload workload;
  workload.name = "attention";
  workload.tensors = {{"query", {8, q_len, 16}}, {"cache", {8, kv_len, 16}}, {"seen", {8, q_len, 16}}};
  Attention attention;
  attention.q_len = q_len, attention.kv_len = kv_len, attention.batch = 8, attention.head_dim = 16;
  workload.ops = {{"attention", attention, {0, 1}, {2}}};
  workload.inputs = {0, 1};
  workload.outputs = {2};
  workload.tensors[0].dtype = workload.tensors[2].dtype = DType::bf16;
  return workload;
}

std::optional<DType> keys_of(const LaunchOptions& options, std::int64_t q_len = 1) {
  Workload workload = one_attention(q_len, 8);
  workload.inputs = {1};  // the query is computed
  const Workload made = launched(std::move(workload), options);
  const auto& attention = std::get<Attention>(made.ops.front().kind);
  EXPECT_EQ(made.tensors[1].dtype, attention.kv_precision.value_or(made.tensors[0].dtype));
  return attention.kv_precision;
}

TEST(CacheType, IsThatOfTheActivationsUnlessWeightsAreNarrow) {
  EXPECT_FALSE(keys_of({.precision = DType::bf16}));
  EXPECT_EQ(keys_of({.precision = DType::fp8}), DType::fp8);
  EXPECT_EQ(keys_of({.precision = DType::nvfp4}), DType::fp8) << "caches are FP8";
  EXPECT_FALSE(keys_of({.precision = DType::fp8, .training = true}));
}

TEST(CacheType, HasOneRuleForTheBytesAndForTheReport) {
  EXPECT_EQ(cache_type({}, DType::bf16), DType::bf16);
  EXPECT_EQ(cache_type({}, DType::tf32), DType::fp32);
  EXPECT_EQ(cache_type({}, DType::int8), DType::int8);
  EXPECT_EQ(cache_type({}, DType::mxfp4), DType::fp8);
  EXPECT_EQ(cache_type(DType::bf16, DType::fp8), DType::bf16);
}

TEST(CacheType, IsWhatIsAskedForWhateverTheWeightsAre) {
  EXPECT_EQ(keys_of({.precision = DType::bf16, .cache = DType::fp8}), DType::fp8);
  EXPECT_EQ(keys_of({.precision = DType::fp8, .cache = DType::bf16}), DType::bf16);
}

TEST(CacheType, APromptFindsNone) {
  EXPECT_FALSE(keys_of({.precision = DType::bf16, .cache = DType::fp8}, 8));
  EXPECT_EQ(keys_of({.precision = DType::bf16, .cache = DType::fp8}, 4), DType::fp8) << "but its later parts do";
}

TEST(CacheType, CachesAreWrittenAnewWhereNothingIsShared) {
  Workload workload;
  workload.tensors = {{"k", {2, 4, 1, 8}}, {"k/cache", {2, 4, 128, 8}}, {"k/append", {2, 4, 1, 8}}};
  workload.ops = {{"k/append", Move{.function = "cache"}, {0}, {2}}};
  workload.inputs = {0, 1};
  workload.outputs = {2};
  const Workload copied = copy_caches(workload);
  EXPECT_EQ(copied.ops[0].inputs, (std::vector<TensorId>{0, 1}));
  EXPECT_EQ(copied.tensors[2].shape, workload.tensors[1].shape);
  workload.tensors[1].name = "other";
  EXPECT_EQ(copy_caches(workload).ops[0].inputs.size(), 1);
}

}  // namespace
}  // namespace rooftile
