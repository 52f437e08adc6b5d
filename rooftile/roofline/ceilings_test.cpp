#include "rooftile/roofline/ceilings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile::roofline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Ceilings, OfV100AreThosePublished) {
  const auto roof = find_ceilings("v100-ert", Seconds(0));
  ASSERT_TRUE(roof) << roof.error().text();
  ASSERT_EQ(roof->levels.size(), 3U);
  EXPECT_NEAR(roof->levels[0].bandwidth.value(), 14 * 1024e9, 1e3);
  EXPECT_EQ(roof->levels[1].bandwidth, BytesPerSecond(2996.8e9));
  EXPECT_EQ(roof->levels[2].bandwidth, BytesPerSecond(828.8e9));
  EXPECT_EQ(roof->peak(Peak::fp64), FlopsPerSecond(7669.1e9));
  EXPECT_EQ(roof->peak(Peak::tensor_fp16), FlopsPerSecond(106490e9));
  EXPECT_EQ(roof->launch_overhead, Seconds(4.2e-6));
  EXPECT_EQ(roof->sources.size(), 8U);
}

TEST(Ceilings, WithoutFmaAreLower) {
  const auto roof = find_ceilings("v100-ert-no-fma", Seconds(0));
  ASSERT_TRUE(roof) << roof.error().text();
  EXPECT_EQ(roof->peak(Peak::fp64), FlopsPerSecond(3535.8e9));
  EXPECT_EQ(roof->peak(Peak::tensor_fp16), FlopsPerSecond(0));
}

TEST(Ceilings, AreFoundByName) {
  EXPECT_THAT(ceilings_names(), ElementsAre("v100-ert", "v100-ert-no-fma"));
  const auto roof = find_ceilings("v100_ert", Seconds(0));
  ASSERT_FALSE(roof);
  EXPECT_THAT(roof.error().text(), HasSubstr("--ceilings: unknown ceilings 'v100_ert'; did you mean 'v100-ert'?"));
}

std::string error_of(std::string_view toml) {
  const auto roof = parse_ceilings(toml, "own.toml", Seconds(1));
  return roof ? "" : roof.error().text();
}

TEST(Ceilings, OfAFileMustBeThere) {
  const std::string sources = "[sources]\na = \"mine\"\n";
  const std::string peak = "[peak]\nfp32 = { value = \"1 TFLOP/s\", source = \"a\" }\n";
  const std::string l1 = "[[level]]\nname = \"L1\"\nbandwidth = { value = \"100 GB/s\", source = \"a\" }\n";
  const std::string dram = "[[level]]\nname = \"DRAM\"\nbandwidth = { value = \"100 GB/s\", source = \"a\" }\n";
  EXPECT_THAT(error_of(sources + dram), HasSubstr("own.toml: no ceiling of arithmetic"));
  EXPECT_THAT(error_of(sources + peak), HasSubstr("own.toml: no bandwidth"));
  EXPECT_THAT(error_of(sources + peak + l1), HasSubstr("core.sm_count"));
  EXPECT_THAT(error_of("[peak"), HasSubstr("own.toml:1:"));
  const auto roof = parse_ceilings(sources + peak + dram, "own.toml", Seconds(1));
  ASSERT_TRUE(roof) << roof.error().text();
  EXPECT_EQ(roof->launch_overhead, Seconds(1));
}

TEST(Roof, OfAGpuIsThatOfItsCatalogue) {
  const auto gpu = find_gpu("v100-sxm2-16gb");
  ASSERT_TRUE(gpu);
  const Roof roof = roof_of(*gpu);
  ASSERT_EQ(roof.levels.size(), 3U);
  EXPECT_NEAR(roof.levels[0].bandwidth.value(), 80 * 192.6e9, 80 * 0.1e9);  // 80 SMs
  EXPECT_EQ(roof.levels[2].bandwidth, gpu->level("DRAM").bandwidth);
  EXPECT_EQ(roof.launch_overhead, gpu->launch_overhead);
  EXPECT_EQ(roof.level("l2"), 1U);
  EXPECT_FALSE(roof.level("L3"));
  EXPECT_FALSE(roof.sources.empty());
}

}  // namespace
}  // namespace rooftile::roofline
