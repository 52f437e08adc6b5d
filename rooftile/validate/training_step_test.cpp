// What a training step has beside its layers, of real networks: the loss, recomputation, memory.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/execution/launched.hpp"
#include "rooftile/execution/loss.hpp"
#include "rooftile/execution/recompute.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

TEST(Loss, IsCrossEntropyOverClasses) {
  const Workload network = load_model("torchvision/resnet18", {.batch_size = 4}).value();
  const Workload with = with_loss(network);
  ASSERT_EQ(with.ops.size(), network.ops.size() + 3);
  EXPECT_EQ(with.ops[network.ops.size()].name, "loss/log_softmax");
  EXPECT_EQ(with.tensors[with.outputs.front()].shape, Shape());
}

TEST(Loss, TakesProbabilitiesAsTheyAre) {
  Workload network = load_model("torchvision/resnet18", {.batch_size = 4}).value();
  network.ops.push_back({"prob", Softmax{}, network.outputs, {network.tensors.size()}});
  network.tensors.push_back({"prob", {4, 1000}});
  network.outputs = network.ops.back().outputs;
  EXPECT_EQ(with_loss(network).ops.size(), network.ops.size() + 2);
}

TEST(Loss, OfMapsIsNotKnown) {
  const Workload network = load_model("fcn_resnet50", {.batch_size = 1}).value();
  EXPECT_FALSE(has_cross_entropy(network));
  EXPECT_EQ(with_loss(network), network);
}

TEST(Recompute, SelectiveIsTheCoreOfAttention) {
  const Workload network = load_model("gpt2", {.batch_size = 2}).value();
  const auto parts = recomputed_parts(network, Recompute::selective);
  ASSERT_EQ(parts.size(), 12);
  for (const RecomputedPart& part : parts) {
    EXPECT_TRUE(std::holds_alternative<Gemm>(network.ops[part.front()].kind));
    EXPECT_TRUE(std::holds_alternative<Gemm>(network.ops[part.back()].kind));
  }
}

TEST(Recompute, FullPartsFollowOneAnotherAndShareNothing) {
  for (const char* model : {"resnet50", "vgg16", "gpt2", "densenet161"}) {
    const auto parts = recomputed_parts(load_model(model, {.batch_size = 2}).value(), Recompute::full);
    ASSERT_GE(parts.size(), 2) << model;
    std::size_t next = 0;
    for (const RecomputedPart& part : parts) {
      for (const std::size_t op : part) EXPECT_EQ(op, next++) << model;
    }
  }
}

std::vector<std::string> products_of(const Workload& network, const RecomputedPart& part) {
  std::vector<std::string> names;
  for (const std::size_t i : part) {
    if (std::holds_alternative<Gemm>(network.ops[i].kind)) names.push_back(network.ops[i].name);
    EXPECT_FALSE(std::holds_alternative<Attention>(network.ops[i].kind));
  }
  return names;
}

// torchtitan's selective_ac_option = "op", by the order of a layer's products: q, k, v, out, gate, up, down.
TEST(Recompute, OperatorsAreAllButAttentionAndEveryOtherProduct) {
  const Workload network = load_model("llama3_8b", {.batch_size = 1}).value();
  const auto parts = recomputed_parts(network, Recompute::operators);
  ASSERT_EQ(parts.size(), 32);
  EXPECT_EQ(products_of(network, parts[4]),
            (std::vector<std::string>{"layer4/attention/k", "layer4/attention/out", "layer4/mlp/up"}));
  for (const RecomputedPart& part : parts) EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
}

TEST(Recompute, OperatorsIncludeAllProductsInFp8ButTheLast) {
  PredictOptions options;
  options.precision = DType::fp8;
  const Workload network = run_as(load_model("llama3_8b", {.batch_size = 1}).value(), options, Phase::step);
  const auto parts = recomputed_parts(network, Recompute::operators);
  ASSERT_EQ(parts.size(), 32);
  const std::vector<std::string> names = products_of(network, parts[4]);
  EXPECT_EQ(names.size(), 6);
  EXPECT_EQ(names.back(), "layer4/mlp/up");
}

TEST(Recompute, NoneIsNone) { EXPECT_TRUE(recomputed_parts(load_model("resnet18").value(), Recompute::none).empty()); }

// Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models" (2022), equation 2: a layer in
// half precision keeps s b h (34 + 5 a s / h) bytes, of which the core of attention, 5 a s^2 b, is what selective
// recomputation saves.
TEST(Memory, OfATransformerIsThatOfThePaper) {
  constexpr double kSequence = 512, kBatch = 8, kHidden = 1024, kHeads = 16, kLayers = 24;
  const double all = kSequence * kBatch * kHidden * 34 * kLayers;
  const double core = 5 * kHeads * kSequence * kSequence * kBatch * kLayers;
  const Workload bert = stored_as(load_model("bert_large", {.batch_size = 8}).value(), DType::fp16);
  const double kept = memory_use(bert, Phase::step).activations.value();
  EXPECT_NEAR(kept, all + core, 0.05 * (all + core));
  const double selective = memory_use(bert, Phase::step, Recompute::selective).activations.value();
  EXPECT_NEAR(kept - selective, core, 0.1 * core);
  const double full = memory_use(bert, Phase::step, Recompute::full).activations.value();
  EXPECT_LT(full, 0.2 * kept);
}

TEST(Memory, RecomputationNeverTakesMore) {
  for (const char* model : {"resnet50", "vgg16", "densenet161", "gpt2", "swin_t"}) {
    const auto loaded = load_model(model, {.batch_size = 2});
    ASSERT_TRUE(loaded) << model;
    const Bytes kept = memory_use(*loaded, Phase::step).activations;
    for (const Recompute recompute : {Recompute::selective, Recompute::operators, Recompute::full}) {
      EXPECT_LE(memory_use(*loaded, Phase::step, recompute).activations, kept) << model;
    }
    EXPECT_GT(kept, memory_use(*loaded).activations) << model;
  }
}

}  // namespace
}  // namespace rooftile
