#include "rooftile/report/step_trace.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/parallel/parallel_network.hpp"
#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

class StepTraceTest : public ::testing::Test {
 protected:
  StepTraceTest() {
    options.predict.precision = DType::bf16;
    options.predict.training = true;
    options.predict.optimizer = Optimizer::adamw;
    options.style = style_of("");
    way.pp = 4, way.dp = 2, way.micro_batches = 8;
  }

  void run(const std::string& model) {
    const ParallelNetwork network = parallel_network({.model = model, .batch = {}, .seq_len = {}}).value();
    const NetworkBlocks blocks = blocks_of(network, way, gpu, options.predict, BlockDetail::kernels).value();
    timeline = {};
    step = parallel_step(blocks, way, cluster, gpu, options, &timeline).value();
    text = step_trace(model, gpu, way, timeline);
  }

  GpuCluster cluster = find_gpu_cluster("dgx-a100").value();
  Gpu gpu = find_gpu("a100-sxm4-80gb").value();
  ParallelOptions options;
  Parallelism way;
  StepTimeline timeline;
  ParallelStep step;
  std::string text;
};

std::int64_t nanoseconds(const json& microseconds) { return std::llround(microseconds.get<double>() * 1e3); }

// Complete events whose starts and lengths are those of the step, and arrows whose two ends are there.
TEST_F(StepTraceTest, IsInTheTraceEventFormat) {
  run("gpt2");
  const json trace = json::parse(text);
  EXPECT_EQ(trace["otherData"]["writer"], "rooftile");
  EXPECT_EQ(trace["deviceProperties"][0]["computeMajor"], 8);
  std::int64_t last = 0;
  std::map<std::size_t, std::vector<std::string>> arrows;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X") last = std::max(last, nanoseconds(event["ts"]) + nanoseconds(event["dur"]));
    if (phase == "s" || phase == "f") arrows[event["id"]].push_back(phase);
    EXPECT_TRUE(event.contains("pid") && event.contains("tid") && event.contains("name"));
  }
  EXPECT_NEAR(static_cast<double>(last) * 1e-9, step.time.value(), 1e-9);
  EXPECT_FALSE(arrows.empty());
  for (const auto& [id, ends] : arrows) EXPECT_EQ(ends, (std::vector<std::string>{"s", "f"})) << id;
}

// Of all kinds of events that a step may have; no name stands twice in an object, of which readers would take one.
TEST_F(StepTraceTest, FollowsItsSchema) {
  way.offload = Offload::all;
  run("gpt2");
  std::vector<std::set<std::string>> open;
  const auto once = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key) {
      EXPECT_TRUE(open.back().insert(parsed.get<std::string>()).second) << parsed;
    }
    return true;
  };
  const json trace = json::parse(text, once);
  EXPECT_TRUE(fits_schema(trace, "timeline-1.json"));
  std::set<std::string> categories;
  for (const json& event : trace["traceEvents"]) categories.insert(event.value("cat", ""));
  for (const char* category : {"forward", "kernel", "send", "dependency", "offload", "fetch", "host update"}) {
    EXPECT_TRUE(categories.contains(category)) << category;
  }
}

// What Perfetto's importer insists on: slices of a thread lie within each other or apart, to the nanosecond, and no two
// processes share the number of a thread.
TEST_F(StepTraceTest, SlicesNest) {
  run("gpt2");
  std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> slices;
  std::map<int, std::set<int>> processes;
  const json trace = json::parse(text);
  for (const json& event : trace["traceEvents"]) {
    const int thread = event["tid"];
    EXPECT_GT(thread, 0);
    processes[thread].insert(event["pid"].get<int>());
    if (event["ph"] != "X") continue;
    const std::int64_t start = nanoseconds(event["ts"]);
    slices[thread].emplace_back(start, start + nanoseconds(event["dur"]));
  }
  for (const auto& [thread, of] : processes) EXPECT_EQ(of.size(), 1U) << thread;
  for (const auto& [thread, all] : slices) {
    std::vector<std::int64_t> open;  // ends of slices; a thread's are in order of their starts
    std::int64_t before = 0;
    for (const auto& [start, end] : all) {
      ASSERT_GE(start, before);
      before = start;
      while (!open.empty() && open.back() <= start) open.pop_back();
      ASSERT_TRUE(open.empty() || end <= open.back()) << thread << ' ' << start;
      open.push_back(end);
    }
  }
}

// The reader of profiles finds each kernel with its time, FLOPs and bytes as they were predicted.
TEST_F(StepTraceTest, IsReadBackAsAProfile) {
  way.tp = 2, way.dp = 1, way.recompute = Recompute::full;
  run("gpt2");
  const profile::Profile profile = profile::read_profile(text, "step.json").value();
  EXPECT_EQ(profile.dropped_count, 0U);
  std::vector<PlacedPiece> kernels;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    for (const PlacedPiece& piece : pieces_of(timeline, i)) {
      if (!piece.piece.exchange) kernels.push_back(piece);
    }
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
    return std::llround(a.start.value() * 1e9) < std::llround(b.start.value() * 1e9);
  });
  ASSERT_EQ(profile.kernels.size(), kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const profile::KernelProfile& read = profile.kernels[i];
    const PassKernel& kernel = kernels[i].piece.kernel;
    const profile::KernelCounters counters = profile::counters(read);
    ASSERT_EQ(read.name, kernel.name);
    EXPECT_EQ(read.compute_capability, "8.0");
    EXPECT_NEAR(read.start->value(), kernels[i].start.value(), 1e-9);
    EXPECT_NEAR(read.time->value(), kernels[i].time.value(), 2e-9);
    EXPECT_EQ(kernel.tensor ? counters.tensor : counters.fp32, kernel.flops);
    EXPECT_EQ(counters.dram, kernel.dram);
    if (kernel.ctas > 0) {
      ASSERT_TRUE(read.grid.has_value());
      EXPECT_EQ(static_cast<double>((*read.grid)[0]), std::ceil(kernel.ctas));
    }
  }
}

TEST_F(StepTraceTest, OfLongStepsTheFirstMicroBatchesHoldTheirKernels) {
  way = {};
  way.micro_batches = 400;
  run("gpt2_xl");
  EXPECT_THAT(text.substr(0, text.find("traceEvents")),
              ::testing::ContainsRegex("\"kernels_of\":\"the first [0-9]+ micro-batches\""));
  const auto count = [&](const std::string& category) {  // without reading a hundred megabytes of JSON
    const std::string what = "\"cat\":\"" + category + "\"";
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++found;
    return found;
  };
  const std::size_t pieces = count("kernel") + count("exchange");
  EXPECT_LE(pieces, kMostTracedPieces);
  EXPECT_GT(pieces, kMostTracedPieces * 9 / 10);
  EXPECT_EQ(count("forward") + count("backward"), 800U);
  EXPECT_EQ(text.substr(text.find_last_not_of(" \n") - 1, 2), "]}") << "complete";
}

}  // namespace
}  // namespace rooftile
