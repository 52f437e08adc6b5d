#include "rooftile/explore/space_file.hpp"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

// A space file with these lines about sampling and axes.
std::string file_of(const std::string& top, const std::string& axes) {
  return fmt::format("gpu = \"titan-xp-delta\"\n{}\n[axes]\n{}\n[[workload]]\nmodel = \"alexnet\"\n", top, axes);
}

DesignSpace space_of(const std::string& top, const std::string& axes) {
  auto space = parse_space(file_of(top, axes), "space.toml");
  if (!space) ADD_FAILURE() << space.error().text();
  return space.value_or(DesignSpace{});
}

std::string error_of(const std::string& top, const std::string& axes) {
  const auto space = parse_space(file_of(top, axes), "space.toml");
  return space ? "no error" : space.error().text();
}

TEST(SpaceFile, ReadsValuesMultiplesAndRanges) {
  const DesignSpace space = space_of("", R"(sm_count = { multiples = [1, 1.25, 2] }
dram_bandwidth = { values = ["450 GB/s", "0.9 TB/s"] }
clock = { from = "1 GHz", to = "4 GHz", steps = 3, spacing = "geometric" }
mac_per_sm = { multiples = { from = 1, to = 3, steps = 5 } })");
  ASSERT_EQ(space.axes.size(), 4U);
  EXPECT_EQ(space.axes[0].values, (std::vector<double>{30, 38, 60}));  // whole SMs: 37.5 is 38
  EXPECT_EQ(space.axes[1].values, (std::vector<double>{450e9, 900e9}));
  EXPECT_NEAR(space.axes[2].values[1], 2e9, 1);
  EXPECT_EQ(space.axes[3].values, (std::vector<double>{128, 192, 256, 320, 384}));
  EXPECT_EQ(space.size(), 3U * 2 * 3 * 5);
  // The last axis varies fastest.
  EXPECT_EQ(at(design_at(space, 1), Parameter::mac_per_sm), 192);
  EXPECT_EQ(at(design_at(space, 89), Parameter::sm_count), 60);
}

TEST(SpaceFile, ADesignFollowsFromItsIndex) {
  for (const char* sampling : {"random", "sobol"}) {
    const DesignSpace space =
        space_of(fmt::format("sampling = \"{}\"\nsamples = 5000\nseed = 7", sampling),
                 "sm_count = { from = 10, to = 200 }\nl2_bandwidth = { from = \"1 TB/s\", to = \"8 TB/s\", spacing = "
                 "\"geometric\" }\nregisters = { values = [65536, 131072] }");
    DesignBlock block = empty_block(space);
    block.count = 100;
    fill(space, 2000, block);
    std::set<double> seen;
    for (std::size_t i = 0; i < block.count; ++i) {
      EXPECT_EQ(block.point(i), design_at(space, 2000 + i)) << sampling;
      const double bandwidth = at(block.point(i), Parameter::l2_bandwidth);
      EXPECT_GE(bandwidth, 1e12);
      EXPECT_LE(bandwidth, 8e12);
      const double sms = at(block.point(i), Parameter::sm_count);
      EXPECT_EQ(sms, std::floor(sms));
      seen.insert(bandwidth);
    }
    EXPECT_EQ(seen.size(), block.count) << sampling;
  }
}

// 1024 points of a Sobol sequence fall evenly into 32 x 32 boxes; random ones leave a third of them empty.
TEST(SpaceFile, SobolCoversTheSpaceEvenly) {
  const std::string axes = "clock = { from = \"1 GHz\", to = \"2 GHz\" }\nmac_per_sm = { from = 100, to = 200 }";
  const auto boxes = [&](const std::string& sampling) {
    const DesignSpace space = space_of(fmt::format("sampling = \"{}\"\nsamples = 1024\nseed = 3", sampling), axes);
    std::set<std::pair<int, int>> filled;
    for (std::uint64_t i = 0; i < 1024; ++i) {
      const DesignPoint point = design_at(space, i);
      filled.emplace(static_cast<int>((at(point, Parameter::clock) - 1e9) / 1e9 * 32),
                     static_cast<int>((at(point, Parameter::mac_per_sm) - 100) / 100 * 32));
    }
    return filled.size();
  };
  EXPECT_GT(boxes("sobol"), 1000U);
  EXPECT_LT(boxes("random"), 750U);
}

TEST(SpaceFile, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string top, axes, message;
  };
  const std::vector<Case> cases = {
      {"", "sm_cuont = { values = [1] }", "space.toml:4:1: unknown axis 'sm_cuont'; did you mean 'sm_count'?"},
      {"", "", "[axes] is empty: nothing varies"},
      {"", "sm_count = { values = [] }", "axis sm_count has no values"},
      {"", "sm_count = { values = [30, 30] }", "axis sm_count has 30 twice"},
      {"", "sm_count = { values = [30] }\nsm_count = { values = [60] }", "space.toml:5"},
      {"", "sm_count = { values = [30.5] }", "sm_count must be a whole number"},
      {"", "sm_count = { values = [-1] }", "sm_count must be a number above 0"},
      {"", "sm_count = { values = [nan] }", "sm_count must be a number above 0"},
      {"", "sm_count = { multiples = [1e9] }", "out of range"},
      {"", "sm_count = { from = 60, to = 30, steps = 2 }", "goes from 60 to 30: it must increase"},
      {"", "sm_count = { from = 30, to = 60 }", "needs steps = COUNT"},
      {"", "sm_count = { from = 30, to = 60, steps = 1 }", "steps must be a whole number from 2"},
      {"", "sm_count = { values = [30], multiples = [2] }", "takes one of values, multiples, and from with to"},
      {"", "sm_count = { values = [30], steps = 3 }", "steps is for a range"},
      {"", "sm_count = { multiples = { from = 1, to = 2, steps = 3 }, steps = 5 }", "beside its from and to"},
      {"", "dram_bandwidth = { values = [450] }", "dram_bandwidth must be a number and its unit in quotes"},
      {"", "dram_bandwidth = { values = [\"450 GHz\"] }", "dram_bandwidth: "},
      {"", "tensor_mac_per_sm = { multiples = [2] }", "titan-xp-delta has no tensor_mac_per_sm"},
      {"", "cta_tile = { values = [192] }", "cta_tile is 128 or 256"},
      {"sampling = \"sobel\"", "sm_count = { values = [30] }", "unknown sampling 'sobel'"},
      {"sampling = \"random\"", "sm_count = { values = [30] }", "sampling needs samples = COUNT"},
      {"samples = 5", "sm_count = { values = [30] }", "samples is for sampling random or sobol"},
      {"sampling = \"random\"\nsamples = 0", "sm_count = { values = [30] }", "samples must be a whole number from 1"},
      {"constraints = [\"sm_cont > 2\"]", "sm_count = { values = [30] }",
       "unknown name 'sm_cont'; did you mean 'sm_count'?"},
      {"constraints = [\"sm_count = 2\"]", "sm_count = { values = [30] }", "'=' assigns"},
      {"constraints = [\"sm_count >\"]", "sm_count = { values = [30] }", "constraint \"sm_count >\""},
      {"gpus = 1", "sm_count = { values = [30] }", "unknown key 'gpus'; did you mean 'gpu'?"},
  };
  for (const Case& one : cases) {
    EXPECT_NE(error_of(one.top, one.axes).find(one.message), std::string::npos) << one.top << one.axes << "\n"
                                                                                << error_of(one.top, one.axes);
  }
}

TEST(SpaceFile, RefusesAbsurdCounts) {
  std::string axes;
  for (const char* name : {"sm_count", "registers", "mac_per_sm"}) {
    axes += fmt::format("{} = {{ from = 300, to = 90000, steps = 1000000 }}\n", name);
  }
  axes += "clock = { from = \"1 GHz\", to = \"2 GHz\", steps = 1000000 }\n";
  EXPECT_NE(error_of("", axes).find("designs, at most"), std::string::npos) << error_of("", axes);
}

}  // namespace
}  // namespace rooftile
