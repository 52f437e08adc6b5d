#include "rooftile/validate/gpu_pairs.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

Validation validated(const std::vector<MeasuredTable>& tables, std::vector<std::string> by = {}) {
  return validate(tables, {.methods = {{.method = Method::roofline}}, .by = std::move(by)}).value();
}

std::vector<MeasuredTable> table_of(const std::string& rows) {
  return {
      MeasuredTable("m.csv", parse_layer_table("gpu,M,N,K,time_us\n" + rows, "m.csv", {.measurements = true}).value())};
}

TEST(GpuPairs, AreOfTheSameWorkOnOtherGpusThatAreApart) {
  const auto tables = table_of(
      "t4,4096,4096,4096,30000\n"
      "l4,4096,4096,4096,10000\n"      // a pair with the T4, in the right order
      "l4,4096,4096,4096,10500\n"      // and again; the two are of one GPU
      "a10,4096,4096,4096,10400\n"     // within 10 % of the L4s: a pair with the T4 alone
      "h100-sxm5-80gb,8192,64,64,1\n"  // no other ran this
  );
  const auto pairs = gpu_pairs(validated(tables), tables);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].pairs, 3U);
  EXPECT_EQ(pairs[0].ordered, 1);
  EXPECT_GT(pairs[0].ratio_error, 0);
}

TEST(GpuPairs, AWrongOrderCounts) {
  const auto tables = table_of("t4,4096,4096,4096,10000\nl4,4096,4096,4096,30000\n");
  const auto pairs = gpu_pairs(validated(tables), tables);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].ordered, 0);
  EXPECT_GT(pairs[0].ratio_error, 3);
}

TEST(GpuPairs, AGroupHasThoseOfWhichBothAreInIt) {
  const auto tables = table_of(
      "t4,4096,4096,4096,30000\nl4,4096,4096,4096,10000\n"
      "t4,512,512,512,60\nl4,512,512,512,20\n");
  const auto pairs = gpu_pairs(validated(tables, {"M"}), tables);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_TRUE(pairs[2].key.empty());
  EXPECT_EQ(pairs[2].pairs, 2U);
  EXPECT_TRUE(gpu_pairs(validated(tables, {"gpu"}), tables).size() == 1) << "no pair is of one GPU";
}

}  // namespace
}  // namespace rooftile
