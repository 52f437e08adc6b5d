#include <string>

#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

Result<Workload> einsum(const std::string& equation, const Shape& a, const Shape& b) {
  TestModel model;
  model.input("a", a).input("b", b).output("y").node("Einsum", {"a", "b"}, {"y"}, {{"equation", equation}});
  return parse_onnx(model.bytes(), "einsum", "einsum");
}

TEST(OnnxEinsum, QueriesTimesKeys) {
  const auto workload = einsum("b h i d, b h j d -> b h i j", {2, 3, 5, 7}, {2, 3, 11, 7});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ops.at(0).kind, OpKind(Gemm{.batch = 6, .m = 5, .n = 11, .k = 7, .trans_b = true}));
  EXPECT_EQ(workload->tensors[workload->outputs[0]].shape, (Shape{2, 3, 5, 11}));
}

TEST(OnnxEinsum, WeightsTimesValues) {
  const auto workload = einsum("bhij,bhjd->bhid", {2, 3, 5, 11}, {2, 3, 11, 7});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ops.at(0).kind, OpKind(Gemm{.batch = 6, .m = 5, .n = 7, .k = 11}));
}

TEST(OnnxEinsum, ResultInAnyOrderAndTransposedFirstOperand) {
  const auto workload = einsum("ki,kj->ji", {7, 5}, {7, 3});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ops.at(0).kind, OpKind(Gemm{.m = 5, .n = 3, .k = 7, .trans_a = true}));
  EXPECT_EQ(workload->tensors[workload->outputs[0]].shape, (Shape{3, 5}));
}

TEST(OnnxEinsum, EllipsesStandForLeadingDimensions) {
  const auto both = einsum("...id,...jd->...ij", {2, 3, 5, 7}, {2, 3, 11, 7});
  ASSERT_TRUE(both) << both.error().text();
  EXPECT_EQ(both->ops.at(0).kind, OpKind(Gemm{.batch = 6, .m = 5, .n = 11, .k = 7, .trans_b = true}));
  EXPECT_EQ(both->tensors[both->outputs[0]].shape, (Shape{2, 3, 5, 11}));
  const auto one = einsum("...i,ij->...j", {2, 3, 7}, {7, 5});
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(one->ops.at(0).kind, OpKind(Gemm{.m = 6, .n = 5, .k = 7}));
  const auto unequal = einsum("...id,...dj->...ij", {2, 3, 5, 7}, {3, 7, 11});  // aligned at the end: b has heads alone
  ASSERT_TRUE(unequal) << unequal.error().text();
  EXPECT_EQ(unequal->ops.at(0).kind, OpKind(Gemm{.batch = 3, .m = 10, .n = 11, .k = 7}));
  EXPECT_EQ(unequal->tensors[unequal->outputs[0]].shape, (Shape{2, 3, 5, 11}));
}

TEST(OnnxEinsum, SaysWhatItCannotRead) {
  const Shape matrix = {3, 3};
  const auto error = [&](const std::string& equation) { return einsum(equation, matrix, matrix).error().text(); };
  const std::string unsupported = "is not a product of two operands with distinct letters and a result";
  for (const std::string equation :
       {"", "ij,jk", "ii,jk->ik", "...i......,ij->j", "0i,ij->0j", "ij,kl->ik", "ij,jk->iq", "ij->ji"}) {
    EXPECT_NE(error(equation).find(unsupported), std::string::npos) << error(equation);
  }
  EXPECT_NE(einsum("ij,jk->ik", {3, 4}, {5, 3}).error().text().find("'j' is both 4 and 5"), std::string::npos);
  EXPECT_NE(einsum("hij,jk->ik", matrix, matrix).error().text().find("is not a product"), std::string::npos);
  EXPECT_NE(einsum("hij,jkh->ik", matrix, matrix).error().text().find("'hij' does not fit 3x3"), std::string::npos);
}

}  // namespace
}  // namespace rooftile
