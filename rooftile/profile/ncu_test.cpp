#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/profile/fixture_test.hpp"
#include "rooftile/profile/profile.hpp"

namespace rooftile::profile {
namespace {

using testing::HasSubstr;

TEST(Ncu, ReadsPageRawAmongOtherOutput) {
  const Profile profile = read_fixture("ncu_raw.csv");
  EXPECT_EQ(profile.format, "Nsight Compute CSV, page raw");
  ASSERT_EQ(profile.kernels.size(), 4);
  const KernelProfile& gemm = profile.kernels[0];
  EXPECT_EQ(gemm.line, 6);
  EXPECT_EQ(gemm.name,
            "void cutlass::Kernel<cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x5_nn_align8>(Params, \"x\")");
  EXPECT_EQ(gemm.compute_capability, "8.0");
  EXPECT_EQ(gemm.block, (std::array<std::int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(gemm.grid, (std::array<std::int64_t, 3>{80, 2, 1}));
  EXPECT_DOUBLE_EQ(gemm.time->value(), 2000.25e-6);
  EXPECT_DOUBLE_EQ(*gemm.metric("dram__bytes_read.sum"), 2000.5e6);
  EXPECT_DOUBLE_EQ(*gemm.metric("dram__bytes_write.sum"), 1e6);
  EXPECT_DOUBLE_EQ(*gemm.metric("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 80.5);
  EXPECT_EQ(gemm.metric("launch__func_cache_config"), std::nullopt);
  EXPECT_DOUBLE_EQ(*profile.kernels[1].metric("dram__bytes_read.sum"), 4096);
  EXPECT_EQ(profile.kernels[1].metric("lts__t_bytes.sum"), std::nullopt);
}

TEST(Ncu, DropsAndNamesWhatIsWrong) {
  const Profile profile = read_fixture("ncu_raw.csv");
  EXPECT_EQ(profile.kernels[2].name, "broken_negative");
  EXPECT_EQ(profile.kernels[2].metric("dram__bytes_read.sum"), std::nullopt);
  EXPECT_EQ(profile.kernels[3].metric("dram__bytes_read.sum"), std::nullopt);
  ASSERT_EQ(profile.dropped_count, 5);
  EXPECT_EQ(profile.dropped[0], (Dropped{9, "dram__bytes_read.sum of kernel 'broken_negative' is negative"}));
  EXPECT_EQ(profile.dropped[1].reason, "dram__bytes_read.sum of kernel 'broken_nan' is 'nan': not a number");
  EXPECT_EQ(profile.dropped[2].reason, "kernel 1 appears twice; the first counts");
  EXPECT_EQ(profile.dropped[3], (Dropped{14, "unclosed quote"}));
  EXPECT_EQ(profile.dropped[4], (Dropped{10, "kernel 'broken_time' took no time"}));
  ASSERT_EQ(profile.notes.size(), 1);
  EXPECT_EQ(profile.notes[0], "1 values are not available (n/a)");
}

TEST(Ncu, ReadsPageDetails) {
  const Profile profile = read_fixture("ncu_details.csv");
  EXPECT_EQ(profile.format, "Nsight Compute CSV, page details");
  ASSERT_EQ(profile.kernels.size(), 2);
  EXPECT_EQ(profile.kernels[0].name, "copy_blocked[v1](Array<long long, 1, C, mutable, aligned>, long long)");
  EXPECT_DOUBLE_EQ(profile.kernels[0].time->value(), 21058944e-9);
  EXPECT_DOUBLE_EQ(*profile.kernels[0].metric("dram__bytes.sum"), 1048576);
  EXPECT_EQ(profile.kernels[1].block, (std::array<std::int64_t, 3>{32, 32, 1}));
  EXPECT_EQ(profile.kernels[1].time, std::nullopt);
  ASSERT_EQ(profile.dropped_count, 1);
  EXPECT_EQ(profile.dropped[0].reason, "dram__bytes_read.sum of kernel 'second' is 'oops': not a number");
}

TEST(Ncu, FindsTheLocaleOut) {
  const Profile profile = read_fixture("ncu_locale.csv");
  ASSERT_EQ(profile.kernels.size(), 1);
  EXPECT_DOUBLE_EQ(profile.kernels[0].time->value(), 117344e-9);
  EXPECT_DOUBLE_EQ(*profile.kernels[0].metric("dram__bytes.sum"), 27595520);
  EXPECT_DOUBLE_EQ(*profile.kernels[0].metric("sm__throughput.avg.pct_of_peak_sustained_elapsed"), 65.77);
  EXPECT_EQ(profile.dropped_count, 0);
}

TEST(Ncu, ReadsTheColumnsOf2020) {
  const Profile profile = read_fixture("ncu_2020.csv", {.compute_capability = "7.0"});
  ASSERT_EQ(profile.kernels.size(), 1);
  EXPECT_DOUBLE_EQ(profile.kernels[0].time->value(), 1330.5 / 1.33e9);
  EXPECT_EQ(profile.kernels[0].compute_capability, "7.0");
  EXPECT_EQ(profile.kernels[0].grid, std::nullopt);
  EXPECT_EQ(profile.kernels[0].metric("sm__inst_executed_pipe_tensor.sum"), 2048);
}

TEST(ReadProfile, NamesTheNearestThingExpected) {
  const auto message = [](const std::string& text) {
    const auto profile = read_profile(text, "p.csv");
    return profile ? "read" : profile.error().text();
  };
  EXPECT_EQ(message(""), "p.csv: the file is empty");
  EXPECT_THAT(message("a,b\n1,2\n"), HasSubstr("p.csv: unrecognised profile format"));
  EXPECT_THAT(message("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"),
              HasSubstr("the profiler failed: ERR_NVGPUCTRPERM"));
  EXPECT_THAT(message("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Valu\"\n"),
              HasSubstr("p.csv:1: no column 'Metric Value'; did you mean 'Metric Valu'?"));
  EXPECT_THAT(message("\"ID\",\"Kernel Name\",\"a\"\n\"\",\"\",\"byte\"\n\"0\",\"k\"\n"),
              HasSubstr("no usable kernel; 1 dropped, first of line 3: 2 cells where the header has 3"));
}

}  // namespace
}  // namespace rooftile::profile
