#include "rooftile/measure/folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/measure/micro_campaign.hpp"
#include "rooftile/measure/test_device.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Device t4() {
  Device device = device_of("Tesla T4", "7.5", 40, Hertz(1.59e9));
  device.memory = Bytes(16e9);
  device.l2 = Bytes(4194304);
  return device;
}

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string name = (fs::temp_directory_path() / "rooftile-folder-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~FolderTest() override { fs::remove_all(folder); }

  std::string in(const char* file) const { return (folder / file).string(); }

  fs::path folder;
};

Point point(const std::string& benchmark, const std::string& variant, double value) {
  return {benchmark, variant, 0, {value, value, value, 3}, "x"};
}

TEST_F(FolderTest, KeepsOneDevice) {
  ASSERT_TRUE(open_folder(in("new/one"), t4()).has_value());
  EXPECT_EQ(read_device(in("new/one")).value(), t4());
  EXPECT_TRUE(open_folder(in("new/one"), t4()).has_value());
  Device other = t4();
  other.name = "NVIDIA L4";
  EXPECT_THAT(open_folder(in("new/one"), other).error().text(),
              HasSubstr("holds measurements of Tesla T4, not of NVIDIA L4"));
  EXPECT_EQ(read_device(in("new/one")).value(), t4());
}

TEST_F(FolderTest, TheDateIsThatOfTheFirstRunWithThisSoftware) {
  Device later = t4();
  later.date = "2026-12-24";
  ASSERT_TRUE(open_folder(folder.string(), t4()).has_value());
  ASSERT_TRUE(open_folder(folder.string(), later).has_value());
  EXPECT_EQ(read_device(folder.string())->date, t4().date);
  later.driver = "600.1";
  ASSERT_TRUE(open_folder(folder.string(), later).has_value());
  EXPECT_EQ(read_device(folder.string()).value(), later);
}

TEST_F(FolderTest, GpuFileFollowsFromTheFolder) {
  ASSERT_TRUE(open_folder(folder.string(), t4()).has_value());
  ASSERT_TRUE(write_points(folder.string(), {point("bandwidth", "dram_read", 2.4e11), point("rate", "fp32", 8e12)})
                  .has_value());
  const auto path = write_gpu_file(folder.string(), {.id = "", .version = "0.1.0"});
  ASSERT_TRUE(path.has_value()) << path.error().text();
  const auto gpu = find_gpu(*path);
  ASSERT_TRUE(gpu.has_value()) << gpu.error().text();
  EXPECT_EQ(gpu->id, "t4");
  EXPECT_NEAR(gpu->level("DRAM").bandwidth.value(), 2.4e11, 1e8);
}

TEST_F(FolderTest, WithoutADeviceThereIsNoGpuFile) {
  EXPECT_THAT(write_gpu_file(folder.string(), {}).error().text(), HasSubstr("device.toml: No such file"));
}

TEST_F(FolderTest, ProvenanceHasALineForEachRun) {
  ASSERT_TRUE(add_provenance(folder.string(), t4(), "0.1.0", "rooftile-measure micro").has_value());
  ASSERT_TRUE(add_provenance(folder.string(), t4(), "0.1.0", "rooftile-measure\nlayers").has_value());
  const std::string text = *read_text_file(in("PROVENANCE.md"));
  EXPECT_THAT(text, HasSubstr("Tesla T4, driver 580.65.06, CUDA 13.0, cuDNN none, "));
  EXPECT_THAT(text, HasSubstr("`rooftile-measure micro`\n- "));
  EXPECT_THAT(text, HasSubstr("`rooftile-measure?layers`\n"));
}

class MicroCampaignTest : public FolderTest {
 protected:
  MicroCampaignTest() { options.folder = folder.string(); }

  MicroStep step(const std::string& benchmark, Outcome<std::vector<Point>> outcome, const std::string& prefix = "") {
    return {benchmark, prefix, [this, outcome = std::move(outcome)] {
              ++runs;
              return outcome;
            }};
  }
  std::vector<Point> points() const { return read_points(folder.string()).value(); }

  int runs = 0;
  MicroCampaignOptions options;
};

TEST_F(MicroCampaignTest, DoneOnesAreNotRunAgain) {
  const std::vector<Point> latency = {point("latency", "l1", 33), point("clock", "latency", 2e9)};
  const std::vector<Point> rate = {point("rate", "fp32", 1)};
  const std::vector<Point> library = {point("rate", "library_fp16", 2)};
  const std::vector<MicroStep> steps = {step("latency", latency), step("rate", rate),
                                        step("rate", library, "library_")};
  EXPECT_EQ(run_micro(steps, options)->measured, 3);
  EXPECT_EQ(points().size(), 4);
  EXPECT_EQ(run_micro(steps, options)->done_before, 3);
  EXPECT_EQ(runs, 3);
  options.again = true;
  EXPECT_EQ(run_micro(steps, options)->measured, 3);
  EXPECT_EQ(points().size(), 4);  // replaced, not doubled
}

TEST_F(MicroCampaignTest, ARefusalLeavesTheOthers) {
  std::vector<std::string> told;
  options.refused = [&](const MicroStep& one, const Refused& why) {
    told.push_back(one.benchmark + ": " + why.message);
  };
  const std::vector<Point> rate = {point("rate", "fp32", 1)};
  const auto report = run_micro(
      {step("sustained", tl::unexpected(Refused{Refusal::unsupported, "no NVML"})), step("rate", rate)}, options);
  EXPECT_EQ(report->refused, 1);
  EXPECT_EQ(report->measured, 1);
  EXPECT_EQ(told, std::vector<std::string>{"sustained: no NVML"});
}

TEST_F(MicroCampaignTest, WhatIsCutShortDoesNotCount) {
  bool stop = false;
  options.stop = [&] { return stop; };
  const std::vector<Point> rate = {point("rate", "fp32", 1)};
  const MicroStep cut = {"latency", "", [&]() -> Outcome<std::vector<Point>> {
                           stop = true;
                           return std::vector<Point>{point("latency", "l1", 33)};
                         }};
  const auto report = run_micro({step("rate", rate), cut, step("launch", rate)}, options);
  EXPECT_TRUE(report->stopped);
  EXPECT_EQ(points().size(), 1);
  EXPECT_EQ(runs, 1);
}

TEST_F(MicroCampaignTest, ALostDeviceEndsIt) {
  const auto report = run_micro({step("latency", tl::unexpected(Refused{Refusal::device_lost, "fault"})),
                                 step("rate", std::vector<Point>{point("rate", "fp32", 1)})},
                                options);
  EXPECT_TRUE(report->device_lost);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace rooftile::measure
