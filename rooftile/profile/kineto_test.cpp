#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/gzip.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/fixture_test.hpp"

namespace rooftile::profile {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

TEST(Kineto, ReadsKernelsWithTheirOperators) {
  const Profile profile = read_fixture("kineto.json");
  EXPECT_EQ(profile.format, "PyTorch profiler trace");
  ASSERT_EQ(profile.kernels.size(), 2);
  EXPECT_EQ(profile.kernels[0].name, "sooner");
  EXPECT_EQ(profile.kernels[0].op, "");
  EXPECT_EQ(profile.kernels[0].grid, (std::array<std::int64_t, 3>{99, 1, 1}));
  EXPECT_EQ(profile.kernels[0].block, std::nullopt);  // no block has 0 threads
  const KernelProfile& later = profile.kernels[1];
  EXPECT_EQ(later.name, "void later<float, 4>(\"x\")");
  EXPECT_DOUBLE_EQ(later.time->value(), 258.498e-6);
  EXPECT_EQ(later.grid, (std::array<std::int64_t, 3>{800, 2, 1}));
  EXPECT_EQ(later.op, "aten::addmm");
  EXPECT_EQ(later.input_shapes, (Shapes{{512}, {512, 1408}, {1408, 512}, {}, {}}));
  ASSERT_EQ(profile.dropped_count, 1);
  EXPECT_EQ(profile.dropped[0].reason, "kernel 'no_time' took no time");
}

TEST(Kineto, SaysHowBusyTheHostWas) {
  // 0 to 100 us: one thread for 40 us, an operator inside another, the other thread for 10.
  const auto profile = read_profile(R"({"deviceProperties": [{"id": 0, "computeMajor": 9, "computeMinor": 0}],
    "traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"a","tid":1,"ts":0,"dur":30},
    {"ph":"X","cat":"cpu_op","name":"b","tid":1,"ts":10,"dur":5},
    {"ph":"X","cat":"cpu_op","name":"c","tid":1,"ts":50,"dur":10},
    {"ph":"X","cat":"cpu_op","name":"d","tid":"2","ts":20,"dur":10},
    {"ph":"X","cat":"python_function","name":"e","tid":3,"ts":0,"dur":1000},
    {"ph":"X","cat":"kernel","name":"k","tid":7,"ts":90,"dur":10}]})",
                                    "t.json");
  ASSERT_TRUE(profile.has_value());
  ASSERT_TRUE(profile->host.has_value());
  EXPECT_EQ(profile->host->threads, 2U);
  EXPECT_DOUBLE_EQ(profile->host->busiest, 0.4);
  EXPECT_DOUBLE_EQ(profile->host->mean, 0.25);
  EXPECT_EQ(profile->kernels[0].compute_capability, "9.0");
  EXPECT_FALSE(read_profile(R"([{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2}])", "t.json")->host);
}

TEST(Kineto, KeepsWhatStandsBeforeTheBreak) {
  const std::string text = fixture_text("kineto.json");
  const auto profile = read_profile(text.substr(0, text.find("\"no_time\"")), "cut.json");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->kernels.size(), 2);
  ASSERT_EQ(profile->dropped_count, 1);
  EXPECT_THAT(profile->dropped[0].reason, testing::HasSubstr("the rest is ignored"));
}

TEST(Kineto, RefusesOtherJson) {
  const auto message = [](const std::string& text) { return read_profile(text, "t.json").error().text(); };
  EXPECT_THAT(message("{\"a\": [1, 2]}"), testing::HasSubstr("no list 'traceEvents'"));
  EXPECT_THAT(message("{\"traceEvents\": []}"), testing::HasSubstr("no usable kernel"));
  EXPECT_THAT(message("\x1f\x8b..."), testing::HasSubstr("t.json: is a damaged or incomplete gzip file"));
  EXPECT_THAT(message(gzip(gzip("{}").value()).value()), testing::HasSubstr("is compressed twice"));
}

TEST(Kineto, ReadsCompressedTraces) {
  const std::string text = fixture_text("kineto.json");
  const auto profile = read_profile(gzip(text).value(), "trace.json.gz");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->kernels.size(), read_profile(text, "trace.json")->kernels.size());
}

// What Rooftile predicts stands beside the launch: FLOPs of tensor cores or of the ordinary units, bytes of the DRAM.
TEST(Kineto, ReadsWhatRooftileCounts) {
  const auto profile = read_profile(R"({"traceEvents": [
    {"ph":"X","cat":"kernel","name":"a","ts":1,"dur":2,"args":{"dram_bytes":512,"flops":1e9,"unit":"tensor","grid":[8,1,1]}},
    {"ph":"X","cat":"kernel","name":"b","ts":3,"dur":2,"args":{"dram_bytes":64.5,"flops":7,"unit":"cuda"}},
    {"ph":"X","cat":"kernel","name":"c","ts":5,"dur":2,"args":{"dram_bytes":-1,"flops":7}}],
    "deviceProperties":[{"id":0,"name":"A30"}]})",
                                    "step.json");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->format, "timeline of Rooftile");
  EXPECT_TRUE(profile->predicted);
  EXPECT_EQ(profile->gpu, "A30");
  const KernelCounters a = counters(profile->kernels[0]), b = counters(profile->kernels[1]);
  EXPECT_EQ(a.dram, Bytes(512));
  EXPECT_EQ(a.tensor, Flops(1e9));
  EXPECT_EQ(a.fp32, Flops(0));
  EXPECT_EQ(b.dram, Bytes(64.5));
  EXPECT_EQ(b.fp32, Flops(7));
  EXPECT_EQ(counters(profile->kernels[2]), KernelCounters{});  // no kernel moves less than nothing
}

TEST(Kineto, TakesABareListOfEvents) {
  const auto profile = read_profile(R"([{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"args":{}}])", "t.json");
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->kernels[0].name, "k");
}

}  // namespace
}  // namespace rooftile::profile
