#include "rooftile/execution/recompute.hpp"

#include <set>

#include <gtest/gtest.h>

#include "rooftile/ingest/model.hpp"

namespace rooftile {
namespace {

TEST(Recompute, NamesAreReadBack) {
  for (const std::string& name : recompute_names()) EXPECT_EQ(name_of(*parse_recompute(name)), name);
  EXPECT_FALSE(parse_recompute("some"));
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

TEST(Recompute, NoneIsNone) { EXPECT_TRUE(recomputed_parts(load_model("resnet18").value(), Recompute::none).empty()); }

}  // namespace
}  // namespace rooftile
