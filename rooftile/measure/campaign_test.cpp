#include "rooftile/measure/campaign.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/text_file.hpp"
#include "rooftile/ingest/layer_table.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

LayerCase gemm(std::int64_t m) {
  Gemm one;
  one.m = m;
  return {one, DType::fp32, Pass::fwd, Layout::nchw, "", ""};
}

// Takes m microseconds for a GEMM of m rows, or refuses.
class FakeRunner : public LayerRunner {
 public:
  Outcome<LayerTiming> time(const LayerCase& layer) override {
    ++calls;
    const std::int64_t m = std::get<Gemm>(layer.op).m;
    if (const auto found = refusals.find(m); found != refusals.end()) {
      return tl::unexpected(Refused{found->second, "why not\nat all"});
    }
    LayerTiming timing;
    const double us = static_cast<double>(m);
    timing.time_us = {us, us, us, 15};
    return timing;
  }
  Outcome<void> replay(const LayerCase&, int) override { return {}; }

  int calls = 0;
  std::map<std::int64_t, Refusal> refusals;
};

class CampaignTest : public testing::Test {
 protected:
  CampaignTest() {
    std::string name = (fs::temp_directory_path() / "rooftile-campaign-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    options.folder = folder.string();
    options.context.gpu = "t4";
  }
  ~CampaignTest() override { fs::remove_all(folder); }

  std::string text(const std::string& file) const { return *read_text_file((folder / file).string()); }

  // Rows of the table as `rooftile validate` reads them: the m of each GEMM.
  std::vector<std::int64_t> measured() const {
    LayerTableOptions table_options;
    table_options.measurements = true;
    const auto table = parse_layer_table(text("layers/gemm.csv"), "gemm.csv", table_options);
    std::vector<std::int64_t> found;
    if (!table) {
      ADD_FAILURE() << table.error().text();
      return found;
    }
    for (const LayerRow& row : table->rows) {
      found.push_back(std::get<Gemm>(row.op).m);
      EXPECT_DOUBLE_EQ(row.measured.time->value(), 1e-6 * static_cast<double>(found.back()));
    }
    return found;
  }

  CampaignReport run(const std::vector<LayerCase>& cases) {
    const auto report = run_campaign(cases, runner, options);
    EXPECT_TRUE(report.has_value()) << report.error().text();
    return report.value_or(CampaignReport());
  }

  fs::path folder;
  FakeRunner runner;
  CampaignOptions options;
};

using Rows = std::vector<std::int64_t>;

TEST_F(CampaignTest, ResumesWhereItWasStopped) {
  int asked = 0;
  options.stop = [&] { return ++asked == 3; };
  const CampaignReport first = run({gemm(1), gemm(2), gemm(3), gemm(4)});
  EXPECT_EQ(first.end, CampaignEnd::stopped);
  EXPECT_EQ(first.measured, 2);
  EXPECT_EQ(first.left, 2);
  EXPECT_EQ(measured(), (Rows{1, 2}));

  options.stop = [] { return false; };
  const CampaignReport second = run({gemm(1), gemm(2), gemm(3), gemm(4)});
  EXPECT_EQ(second.end, CampaignEnd::finished);
  EXPECT_EQ(second.done_before, 2);
  EXPECT_EQ(second.measured, 2);
  EXPECT_EQ(runner.calls, 4);
  EXPECT_EQ(measured(), (Rows{1, 2, 3, 4}));
}

TEST_F(CampaignTest, ATornRowIsMeasuredAgain) {
  run({gemm(1), gemm(2)});
  const fs::path table = folder / "layers" / "gemm.csv";
  fs::resize_file(table, fs::file_size(table) - 5);
  EXPECT_EQ(run({gemm(1), gemm(2)}).measured, 1);
  EXPECT_EQ(measured(), (Rows{1, 2}));
}

TEST_F(CampaignTest, RefusalsAreNotedAndNotTriedAgain) {
  runner.refusals = {{1, Refusal::unsupported}, {2, Refusal::out_of_memory}, {3, Refusal::wrong_result}};
  const CampaignReport first = run({gemm(1), gemm(2), gemm(3), gemm(4)});
  EXPECT_EQ(first.refused, 3);
  EXPECT_EQ(measured(), (Rows{4}));
  const std::string skipped = text("skipped.csv");
  EXPECT_THAT(skipped, HasSubstr(",unsupported,why not?at all,"));  // one line
  EXPECT_THAT(skipped, HasSubstr(",out_of_memory,"));
  EXPECT_THAT(skipped, HasSubstr(",wrong_result,"));

  EXPECT_EQ(run({gemm(1), gemm(2), gemm(3), gemm(4)}).refused_before, 3);
  EXPECT_EQ(runner.calls, 4);

  runner.refusals.clear();
  options.retry = true;
  EXPECT_EQ(run({gemm(1), gemm(2), gemm(3), gemm(4)}).measured, 3);
}

TEST_F(CampaignTest, ALostDeviceEndsTheRun) {
  runner.refusals = {{2, Refusal::device_lost}};
  const CampaignReport report = run({gemm(1), gemm(2), gemm(3)});
  EXPECT_EQ(report.end, CampaignEnd::device_lost);
  EXPECT_EQ(report.left, 1);
  EXPECT_EQ(runner.calls, 2);
  EXPECT_EQ(measured(), (Rows{1}));
  // The next run goes on behind the case that did it.
  EXPECT_EQ(run({gemm(1), gemm(2), gemm(3)}).end, CampaignEnd::finished);
  EXPECT_EQ(measured(), (Rows{1, 3}));
}

TEST_F(CampaignTest, TimeRunsOut) {
  options.out_of_time = [&] { return runner.calls == 1; };
  const CampaignReport report = run({gemm(1), gemm(2)});
  EXPECT_EQ(report.end, CampaignEnd::out_of_time);
  EXPECT_EQ(report.left, 1);
  EXPECT_EQ(summary_of(report), "1 layers measured, 1 left");
}

TEST_F(CampaignTest, WarmAndColdAreTwoMeasurements) {
  run({gemm(1)});
  options.context.l2 = L2State::warm;
  EXPECT_EQ(run({gemm(1)}).measured, 1);
  EXPECT_EQ(measured(), (Rows{1, 1}));
}

TEST_F(CampaignTest, AFolderThatCannotBeIsAnError) {
  std::ofstream(folder / "layers") << "a file";
  const auto report = run_campaign({gemm(1)}, runner, options);
  ASSERT_FALSE(report.has_value());
  EXPECT_THAT(report.error().text(), HasSubstr("layers: "));
  EXPECT_EQ(runner.calls, 0);
}

}  // namespace
}  // namespace rooftile::measure
