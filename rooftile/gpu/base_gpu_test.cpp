#include "rooftile/gpu/base_gpu.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/facts.hpp"

namespace rooftile {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Fact& fact_of(const Gpu& gpu, const std::string& key) {
  static const Fact none;
  const Fact* fact = find_fact(gpu, key);
  if (fact == nullptr) ADD_FAILURE() << "no " << key;
  return fact == nullptr ? none : *fact;
}

// A GPU that is the TITAN Xp but for `rest`.
Gpu changed(const std::string& rest) {
  const auto gpu = parse_gpu("id = \"mine\"\nbase = \"titan-xp\"\n" + rest, "mine.toml");
  EXPECT_TRUE(gpu) << gpu.error().text();
  return gpu.value_or(Gpu{});
}

std::string base_error(const std::string& base) {
  const auto gpu = parse_gpu(fmt::format("id = \"mine\"\nbase = \"{}\"\n", base), "mine.toml");
  return gpu ? "no error" : gpu.error().text();
}

TEST(BaseGpu, GivesEveryNumberThatTheFileDoesNot) {
  const Gpu base = *find_gpu("titan-xp"), gpu = changed("");
  EXPECT_EQ(gpu.id, "mine");
  EXPECT_EQ(gpu.name, "mine");
  EXPECT_EQ(gpu.architecture, base.architecture);
  EXPECT_EQ(gpu.compute_capability, "6.1");
  ASSERT_EQ(gpu.facts.size(), base.facts.size());
  for (std::size_t i = 0; i < gpu.facts.size(); ++i) {
    EXPECT_EQ(gpu.facts[i].key, base.facts[i].key);
    EXPECT_EQ(gpu.facts[i].text, base.facts[i].text);
    EXPECT_EQ(gpu.facts[i].kind, base.facts[i].kind);
  }
  EXPECT_THAT(fact_of(gpu, "level.L2.bandwidth").source, StartsWith("GPU titan-xp: DeLTA"));
}

TEST(BaseGpu, ARatingOfTheHostReplacesTheOther) {
  const auto gpu =
      parse_gpu("id = \"mine\"\nbase = \"jetson-nano\"\n[board]\nhost_single_thread = { value = 2000 }\n", "mine.toml");
  ASSERT_TRUE(gpu) << gpu.error().text();
  EXPECT_NE(find_fact(*gpu, "board.host_single_thread"), nullptr);
  EXPECT_EQ(find_fact(*gpu, "board.own_host_single_thread"), nullptr);
}

TEST(BaseGpu, NumbersOfOnesOwnAreOwn) {
  const Gpu gpu = changed(
      "[sources]\na = \"a bench\"\n"
      "[board]\ntdp = { value = \"300 W\" }\nlaunch_price = { value = \"999 USD\", source = \"a\" }\n"
      "[launch]\noverhead = { value = \"3 us\", source = \"a\", kind = \"measured\" }\n");
  EXPECT_EQ(gpu.tdp, Watts(300));
  EXPECT_EQ(fact_of(gpu, "board.tdp").kind, FactKind::own);
  EXPECT_EQ(fact_of(gpu, "board.tdp").source, "given without a source at mine.toml:6:7");
  EXPECT_EQ(fact_of(gpu, "board.launch_price").kind, FactKind::own);
  EXPECT_EQ(fact_of(gpu, "board.launch_price").source, "a bench");
  EXPECT_EQ(fact_of(gpu, "launch.overhead").kind, FactKind::measured);
  EXPECT_EQ(fact_of(gpu, "core.clock").kind, FactKind::vendor) << "of the base, which has a source";
}

TEST(BaseGpu, WhatFollowsFromAReplacedNumberFollowsIt) {
  // TITAN Xp: 30 SMs at 1582 MHz, 12.15 TFLOP/s, L2 1051 GB/s, DRAM 450 of 547.7 GB/s, launch of the architecture.
  const Gpu gpu = changed(
      "[core]\nsm_count = { value = 60 }\nclock = { value = \"791 MHz\" }\n"
      "[[level]]\nname = \"DRAM\"\npeak_bandwidth = { value = \"1095.4 GB/s\" }\n");
  EXPECT_DOUBLE_EQ(gpu.peak(Peak::fp32).value(), 12.15e12);
  EXPECT_DOUBLE_EQ(gpu.level("L1").bandwidth.value(), 46e9);
  EXPECT_DOUBLE_EQ(gpu.level("L2").bandwidth.value(), 1051e9);
  EXPECT_DOUBLE_EQ(gpu.level("DRAM").bandwidth.value(), 900e9);
  EXPECT_DOUBLE_EQ(gpu.base_clock->value(), 702.5e6);
  EXPECT_EQ(gpu.level("L2").capacity, Bytes(3 << 20));
  const Fact& peak = fact_of(gpu, "peak.fp32");
  EXPECT_EQ(peak.kind, FactKind::derived);
  EXPECT_THAT(peak.source, StartsWith("12.15 TFLOP/s of GPU titan-xp x 60 / 30 of core.sm_count x 791 MHz / 1582 MHz"));
}

TEST(BaseGpu, AnotherFormOfANumberReplacesIt) {
  const Gpu gpu = changed(
      "[rate]\nfp32 = { value = \"512 FLOP/clk\" }\n[[level]]\nname = \"L2\"\nrate = { value = \"10 B/clk\" }\n");
  EXPECT_DOUBLE_EQ(gpu.peak(Peak::fp32).value(), 512 * 30 * 1582e6);
  EXPECT_DOUBLE_EQ(gpu.level("L2").bandwidth.value(), 10 * 30 * 1582e6);
}

TEST(BaseGpu, WhatIsNoneIsOneClearLine) {
  EXPECT_EQ(base_error("titan-xq"),
            "mine.toml:2:8: base: no GPU 'titan-xq' in the catalogue; did you mean 'titan-xp'?");
  EXPECT_THAT(base_error("v100"), StartsWith("mine.toml:2:8: base: 'v100' is ambiguous: v100-delta"));
  EXPECT_THAT(base_error("nosuch.toml"), StartsWith("mine.toml:2:8: base: "));
  EXPECT_THAT(base_error("mine.toml"), EndsWith("base: 'mine.toml' is based on this file"));
}

TEST(BaseGpu, FilesMayBeBasedOnFilesButNotInACircle) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "rooftile_base_gpus";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& base, const std::string& rest = "") {
    std::ofstream(folder / (name + ".toml")) << "id = \"" << name << "\"\nbase = \"" << base << "\"\n" << rest;
  };
  write("a", "b.toml");
  write("b", "titan-xp", "[board]\ntdp = { value = \"300 W\" }\n");
  const auto gpu = find_gpu((folder / "a.toml").string());
  ASSERT_TRUE(gpu) << gpu.error().text();
  EXPECT_EQ(gpu->id, "a");
  EXPECT_EQ(gpu->tdp, Watts(300));
  EXPECT_EQ(fact_of(*gpu, "board.tdp").kind, FactKind::own);

  write("b", "c.toml");
  write("c", "./a.toml");
  EXPECT_THAT(find_gpu((folder / "a.toml").string()).error().text(),
              EndsWith("c.toml:2:8: base: './a.toml' is based on this file"));
  for (int i = 0; i < 20; ++i) write(fmt::format("f{}", i), fmt::format("f{}.toml", i + 1));
  EXPECT_THAT(find_gpu((folder / "f0.toml").string()).error().text(),
              HasSubstr("more than 8 files based on each other"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rooftile
