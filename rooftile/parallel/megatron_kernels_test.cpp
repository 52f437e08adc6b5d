#include "rooftile/parallel/megatron_kernels.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/transformer_model.hpp"
#include "rooftile/ops/stream_layer.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

class MegatronKernelsTest : public ::testing::Test {
 protected:
  MegatronKernels kernels(const char* model, int experts, bool exchanged, DType precision = DType::bf16) const {
    Transformer part = find_transformer(model).value().value();
    part.experts = experts;
    return megatron_experts(part, kPicks, exchanged, gpu, {.precision = precision});
  }

  static Bytes bytes(const std::vector<PassKernel>& kernels) {
    Bytes sum;
    for (const PassKernel& kernel : kernels) sum += kernel.dram;
    return sum;
  }

  static constexpr std::int64_t kPicks = 65536;
  Gpu gpu = find_gpu("gb200").value();
};

// Of a position that an expert takes: clamps read and write 8 bytes of each of 2,880 features and the join 8, biases 28
// of each of 2,880; backward 12, 8 and 40.
TEST_F(MegatronKernelsTest, OfGptOssClampAndAddBiasesInFp32) {
  const MegatronKernels made = kernels("gpt_oss_120b", 2, false);
  EXPECT_NEAR(bytes(made.forward).value() / (kPicks * 2880.0), 8 + 8 + 28, 0.5);
  EXPECT_NEAR(bytes(made.backward).value() / (kPicks * 2880.0), 12 + 8 + 40, 0.5);
}

TEST_F(MegatronKernelsTest, OfQwenSortWhatAnAllToAllBrought) {
  EXPECT_TRUE(kernels("qwen3_30b_a3b", 16, false).forward.empty());
  const MegatronKernels made = kernels("qwen3_30b_a3b", 16, true);
  EXPECT_NEAR(bytes(made.forward).value() / (kPicks * 2048.0), 2 * 4, 0.2) << "some of it stays in the L2";
  EXPECT_TRUE(kernels("qwen3_30b_a3b", 1, true).forward.empty()) << "one expert's need no order";
}

// Two bytes each: two inputs and the result; backward two inputs, a gradient and two results.
TEST_F(MegatronKernelsTest, OfAGatedMlpTheActivationIsOneKernel) {
  const MegatronKernels made = megatron_gate(8192, 14336, gpu, {.precision = DType::fp8});
  ASSERT_EQ(made.forward.size(), 1);
  EXPECT_NEAR(bytes(made.forward).value() / (8192 * 14336.0), 6, 0.2);
  EXPECT_NEAR(bytes(made.backward).value() / (8192 * 14336.0), 10, 0.3);
  const auto alone = [&](StreamKind kind) {
    return estimate(StreamLayer{.kind = kind, .rows = 8192, .columns = 14336}, gpu,
                    {.precision = DType::bf16, .in_network = true})
        .time;
  };
  EXPECT_LT(made.forward.front().time, 0.7 * (alone(StreamKind::activation) + alone(StreamKind::add)));
}

TEST_F(MegatronKernelsTest, ProductsAreCalledForEachExpert) {
  const MegatronKernels made = kernels("qwen3_30b_a3b", 16, false);
  EXPECT_EQ(made.calls_forward, 2 * 15);
  EXPECT_EQ(made.calls_backward, 4 * 15);
  EXPECT_EQ(kernels("qwen3_30b_a3b", 16, false, DType::fp8).calls_forward, 4 * 15) << "each converted by itself";
}

}  // namespace
}  // namespace rooftile
