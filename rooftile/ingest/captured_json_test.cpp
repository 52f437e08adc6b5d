#include <string>

#include <gtest/gtest.h>

#include "rooftile/ingest/workload_json.hpp"

namespace rooftile {
namespace {

std::string with(const std::string& from, const std::string& to, std::string text) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string kStep =
    R"({"schema": "rooftile/step/1", "name": "net", "batch_size": 2, "framework": "PyTorch 1.13.1",
 "precision": "amp-fp16", "calls": [
  {"source": "aten.convolution", "op": "conv", "filter": 3, "pad": 1, "out_channels": 8,
   "inputs": [{"shape": [2, 3, 4, 4], "dtype": "fp16"}, {"shape": [8, 3, 3, 3], "dtype": "fp16", "constant": true}],
   "outputs": [{"shape": [2, 8, 4, 4], "dtype": "fp16"}]},
  {"source": "aten.convolution_backward", "op": "conv", "pass": "bwd_weight", "filter": 3, "pad": 1, "out_channels": 8,
   "inputs": [{"shape": [2, 3, 4, 4], "dtype": "fp16"}, {"shape": [8, 3, 3, 3], "dtype": "fp16", "constant": true}],
   "outputs": [{"shape": [2, 8, 4, 4], "dtype": "fp16"}]},
  {"source": "aten.frobnicate", "op": "elementwise", "function": "frobnicate", "general": true,
   "inputs": [{"shape": [2, 8, 4, 4], "dtype": "fp16"}], "outputs": [{"shape": [2, 8, 4, 4], "dtype": "fp16"}]}],
 "launches": [[0, "conv1", "forward"], [2, "act", "forward"], [1, "conv1", "backward"], [2, "act", "update"]],
 "memory_bytes": {"weights": 512, "gradients": 512, "optimizer": 0, "activations": 4096},
 "notes": ["a note"]})";

std::string captured_error(const std::string& text, std::optional<std::int64_t> batch_size = {}) {
  const auto read = parse_workload_json(text, "step.json", batch_size);
  return read ? "" : read.error().where + ": " + read.error().message;
}

TEST(CapturedJson, ReadsCallsAndLaunches) {
  const Workload workload = parse_workload_json(kStep, "step.json").value();
  ASSERT_TRUE(workload.captured);
  const CapturedStep& step = *workload.captured;
  EXPECT_EQ(workload.ops.size(), 3U);
  EXPECT_EQ(workload.batch_size, 2);
  EXPECT_EQ(name_of(step.precision), "amp-fp16");
  EXPECT_EQ(step.calls[1].pass, Pass::bwd_weight);
  EXPECT_TRUE(step.calls[2].general);
  ASSERT_EQ(step.launches.size(), 4U);
  EXPECT_EQ(step.launches[2].op, 1U);
  EXPECT_EQ(step.launches[2].part, StepPart::backward);
  EXPECT_EQ(step.memory.activations, Bytes(4096));
  EXPECT_TRUE(trains(step));
  const Conv& conv = std::get<Conv>(workload.ops[0].kind);
  EXPECT_EQ(conv.in_channels, 3);
  EXPECT_EQ(conv.axes[2].in, 4);
}

TEST(CapturedJson, KnowsAFrameworkInAnySpelling) {
  const std::string other = with("\"PyTorch 1.13.1\"", "\"torch==1.13.1+cu117\"", kStep);
  EXPECT_EQ(parse_workload_json(other, "step.json").value().captured->framework, "PyTorch 1.13.1+cu117");
}

TEST(CapturedJson, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(captured_error(with("[1, \"conv1\"", "[3, \"conv1\"", kStep)),
            "step.json: launches[2][0]: 3 is not between 0 and 2");
  EXPECT_EQ(captured_error(with("\"backward\"", "\"backwards\"", kStep)),
            "step.json: launches[2][2]: 'backwards' is not one of forward, backward, update; did you mean 'backward'?");
  EXPECT_EQ(captured_error(with("[0, \"conv1\", \"forward\"]", "[0, \"conv1\"]", kStep)),
            "step.json: launches[0]: a launch is [call, name, part]");
  EXPECT_EQ(
      captured_error(with("\"shape\": [2, 8, 4, 4], \"dtype\": \"fp16\"}]},",
                          "\"shape\": [2, 8, 4, 5], \"dtype\": \"fp16\"}]},", kStep)),
      "step.json: layer 'call 0': convolution from 96 to 256 elements does not fit its tensors 2x3x4x4 and 2x8x4x5");
  EXPECT_EQ(captured_error(with("\"weights\": 512", "\"weights\": -1", kStep)),
            "step.json: memory_bytes.weights: -1 is not between 0 and 1152921504606846976");
}

TEST(CapturedJson, HasTheBatchSizeThatItWasCapturedWith) {
  EXPECT_EQ(captured_error(kStep, 2), "");
  EXPECT_EQ(captured_error(kStep, 4), "step.json: batch_size: captured at 2; capture it again at 4");
}

}  // namespace
}  // namespace rooftile
