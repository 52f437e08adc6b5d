#include "rooftile/gpu/catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string id_for(const std::string& selector) {
  const auto gpu = find_gpu(selector);
  return gpu ? gpu->id : gpu.error().text();
}

TEST(FindGpu, ExactIdComesFirst) {
  EXPECT_EQ(id_for("titan-xp"), "titan-xp") << "though titan-xp-delta contains it";
  EXPECT_EQ(id_for("a10"), "a10");
  EXPECT_EQ(id_for("gtx-1080"), "gtx-1080");
}

TEST(FindGpu, AnyCase) {
  EXPECT_EQ(id_for("TITAN-Xp"), "titan-xp");
  EXPECT_EQ(id_for("T4"), "t4");
}

TEST(FindGpu, UnambiguousPart) {
  EXPECT_EQ(id_for("4090"), "rtx-4090");
  EXPECT_EQ(id_for("H100-SXM5"), "h100-sxm5-80gb");
  EXPECT_EQ(id_for("h200"), "h200-sxm-141gb") << "whole words before parts of words: gh200";
  EXPECT_EQ(id_for("gh200-96"), "gh200-96gb-hbm3") << "parts of words, but not of numbers: gh2 is none";
}

TEST(FindGpu, AmbiguousPartListsTheMatches) {
  const auto gpu = find_gpu("V100");
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().code, ErrorCode::not_found);
  EXPECT_EQ(gpu.error().text(),
            "'V100' is ambiguous: v100-delta, v100-pcie-16gb, v100-pcie-32gb, v100-sxm2-16gb, v100-sxm2-32gb, "
            "v100-sxm3-32gb");
}

TEST(FindGpu, UnknownNamesTheNearest) {
  EXPECT_EQ(id_for("titan-xq"), "no GPU 'titan-xq' in the catalogue; did you mean 'titan-xp'?");
  EXPECT_THAT(id_for(""), HasSubstr("no GPU ''"));
  EXPECT_THAT(id_for("pascal-gp10x"), HasSubstr("no GPU")) << "an architecture is no GPU";
  EXPECT_LT(id_for(std::string(1 << 20, 'x')).size(), 200u);
}

TEST(GpuIds, SortedAndUnique) {
  const auto ids = gpu_ids();
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

// The whole of a file for a GPU of a known architecture.
constexpr const char* kMinimal = R"(
id = "mine"
architecture = "pascal-gp10x"
[sources]
own = "my own measurement"
[core]
sm_count = { value = 20, source = "own" }
clock = { value = "1.5 GHz", source = "own" }
[[level]]
name = "L2"
capacity = { value = "2 MiB", source = "own" }
[[level]]
name = "DRAM"
capacity = { value = "8 GB", source = "own" }
peak_bandwidth = { value = "300 GB/s", source = "own" }
)";

TEST(ParseGpu, MinimalFileIsCompletedFromItsArchitecture) {
  const auto gpu = parse_gpu(kMinimal, "mine.toml");
  ASSERT_TRUE(gpu) << gpu.error().text();
  EXPECT_EQ(gpu->id, "mine");
  EXPECT_EQ(gpu->name, "mine");
  EXPECT_EQ(gpu->architecture, "Pascal GP10x");
  EXPECT_EQ(gpu->vendor, "nvidia");
  EXPECT_EQ(gpu->compute_capability, "6.1");
  // 2 x 128 FMA x 20 SMs x 1.5 GHz; 58.2 B/clk; 22.2 B/clk and SM; 0.822 of the peak.
  EXPECT_DOUBLE_EQ(gpu->peak(Peak::fp32).value(), 2 * 128 * 20 * 1.5e9);
  EXPECT_DOUBLE_EQ(gpu->level("L1").bandwidth.value(), 58.2 * 1.5e9);
  EXPECT_DOUBLE_EQ(gpu->level("L2").bandwidth.value(), 22.2 * 1.5e9 * 20);
  EXPECT_DOUBLE_EQ(gpu->level("DRAM").bandwidth.value(), 0.822 * 300e9);
  EXPECT_EQ(gpu->level("DRAM").latency, Cycles(486));
  EXPECT_TRUE(gpu->level("L1").per_sm);
  EXPECT_FALSE(gpu->level("L2").per_sm);
  EXPECT_FALSE(gpu->tdp.has_value());
}

TEST(ParseGpu, WithoutAnArchitectureEverythingMustBeGiven) {
  std::string text = kMinimal;
  text.replace(text.find("pascal-gp10x"), 12, "pascal-gp10xx");
  const auto gpu = parse_gpu(text, "mine.toml");
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().text(), HasSubstr("mine.toml: missing: core.generation, peak.fp32, sm.registers"));
  EXPECT_THAT(gpu.error().text(), HasSubstr("level.DRAM.latency"));
  EXPECT_THAT(gpu.error().text(), HasSubstr("'pascal-gp10xx' is not known; did you mean 'pascal-gp10x'?"));
  EXPECT_THAT(gpu.error().text(), Not(HasSubstr("core.clock")));
}

TEST(ParseGpu, MissingLevelIsNamed) {
  std::string text = kMinimal;
  text.erase(text.find("[[level]]\nname = \"L2\""), std::string("[[level]]\nname = \"L2\"\n").size());
  text.erase(text.find("capacity = { value = \"2 MiB\""),
             std::string("capacity = { value = \"2 MiB\", source = \"own\" }\n").size());
  const auto gpu = parse_gpu(text, "mine.toml");
  ASSERT_FALSE(gpu);
  EXPECT_THAT(gpu.error().text(),
              HasSubstr("missing: level.L2.capacity; architecture 'pascal-gp10x' does not give it"));
}

TEST(ParseGpu, RegistersForAccumulationArePartOfAll) {
  const auto with = [](const char* count) {
    return parse_gpu(
        fmt::format("{}[sm]\naccumulation_registers = {{ value = {}, source = \"own\" }}\n", kMinimal, count),
        "mine.toml");
  };
  EXPECT_THAT(with("65536").error().text(),
              HasSubstr("sm.accumulation_registers = 65536 leaves none of the 65536 of sm.registers"));
  EXPECT_TRUE(with("0"));
}

TEST(ParseGpu, NeedsAnId) {
  EXPECT_THAT(parse_gpu("", "x").error().text(), HasSubstr("id is missing"));
  EXPECT_THAT(parse_gpu("id = \"A B\"", "x").error().text(), HasSubstr("lower-case"));
}

TEST(FindGpu, OwnFile) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "rooftile_gpu_files";
  std::filesystem::create_directories(folder / "folder.toml");
  const std::string path = folder / "mine.toml";
  std::ofstream(path) << kMinimal;
  EXPECT_EQ(id_for(path), "mine");

  EXPECT_EQ(find_gpu((folder / "none.toml").string()).error().code, ErrorCode::not_found);
  EXPECT_THAT(id_for(folder / "folder.toml"), HasSubstr("is a directory"));
  std::ofstream(folder / "huge.toml") << std::string(3 << 20, ' ');
  EXPECT_THAT(id_for(folder / "huge.toml"), HasSubstr("larger than 1 MiB"));
  std::ofstream(folder / "bad.toml") << "id = \"x\"\n[core]\nsm_count = 3\n";
  EXPECT_THAT(id_for(folder / "bad.toml"), HasSubstr("bad.toml:3:12: core.sm_count must be written"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rooftile
