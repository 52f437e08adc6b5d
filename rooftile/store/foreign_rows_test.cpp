#include "rooftile/store/foreign_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/store/test_folder.hpp"

namespace rooftile::store {
namespace {

using testing::HasSubstr;

using Cells = std::map<std::string, std::string>;

// The cells of each row that are not empty, by column.
std::vector<Cells> cells(const Result<ForeignRows>& rows) {
  std::vector<Cells> all;
  if (!rows) {
    ADD_FAILURE() << rows.error().text();
    return all;
  }
  for (const CsvRow& row : rows->rows) {
    Cells one;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i].empty()) one[rows->header.cells[i]] = row.cells[i];
    }
    all.push_back(std::move(one));
  }
  return all;
}

// Made by hand after the printing code of torch.utils.benchmark.
constexpr const char* kTimer = R"(<torch.utils.benchmark.utils.common.Measurement object at 0x7f395b6ac110>
Broadcasting add (4x8)
setup: x = torch.ones(4, 8)
  Median: 5.73 us
  IQR:    2.25 us (4.01 to 6.26)
  372 measurements, 100 runs per measurement, 1 thread
<torch.utils.benchmark.utils.common.Measurement object at 0x7f395b6ac111>
mm
  1.25 ms
  1 measurement, 100 runs , 1 thread
)";

constexpr const char* kCompare =
    "[---------------- Batched dot ---------------]\n"
    "                |  mul/sum  |    bmm\n"
    "1 threads: -----------------------------------\n"
    "      [1, 1]    |     5.9   |    11.2\n"
    "      [64, 64]  |           |  \033[92m\033[1m 16.0 (! 12%)\033[0m\033[0m\n"
    "4 threads: -----------------------------------\n"
    "      [1, 1]    |     7     |    12\n"
    "\n"
    "Times are in microseconds (us).\n";

TEST(BenchmarkRows, MeasurementsOfATimer) {
  ASSERT_TRUE(is_benchmark(kTimer));
  const auto rows = cells(benchmark_rows(kTimer, "t.txt"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (Cells{{"op", "benchmark"},
                            {"name", "Broadcasting add (4x8); setup: x = torch.ones(4, 8)"},
                            {"framework", "PyTorch"},
                            {"time_us", "5.73"}}));
  EXPECT_EQ(rows[1].at("time_us"), "1250");
}

TEST(BenchmarkRows, ATableOfCompare) {
  ASSERT_TRUE(is_benchmark(kCompare));
  const auto rows = cells(benchmark_rows(kCompare, "t.txt"));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].at("name"), "Batched dot; [1, 1]; mul/sum");
  EXPECT_EQ(rows[0].at("time_us"), "5.9");
  EXPECT_EQ(rows[2].at("name"), "Batched dot; [64, 64]; bmm");
  EXPECT_EQ(rows[2].at("time_us"), "16");
  EXPECT_EQ(rows[2].at("threads"), "1");
  EXPECT_EQ(rows[4].at("threads"), "4");
}

// matmul and addmm of the operator benchmark multiply [M,N] by [N,K]; `trans_a: False` is an operand that was made
// [N,M] and then transposed.
TEST(BenchmarkRows, OperatorsOfTheOperatorBenchmark) {
  const std::string text =
      "# ----------------------------------------\n# PyTorch/Caffe2 Operator Micro-benchmarks\n"
      "# Benchmarking PyTorch: matmul\n# Mode: Eager\n# Name: matmul_M128_N64_K32_trans_aFalse_trans_bTrue_cuda\n"
      "# Input: M: 128, N: 64, K: 32, trans_a: False, trans_b: True, device: cuda\n"
      "Forward Execution Time (us) : 12.345\n\n"
      "# Name: bmm (actual op=bmm_B2_M8_N256_K16_cuda_dtypetorch.float16\n"
      "# Input: B: 2, M: 8, N: 256, K: 16, device: cuda, dtype: torch.float16, op: bmm\n"
      "Run: 0, Forward Execution Time (us) : 3.5\n"
      "# Name: Conv2d_IC256_OC128_kernel3_stride2_N1_H16_W18_G1_pad1_cuda\n"
      "# Input: IC: 256, OC: 128, kernel: 3, stride: 2, N: 1, H: 16, W: 18, G: 1, pad: 1, device: cuda\n"
      "Forward Execution Time (us) : 40\n"
      "# Name: linear_N4_IN256_OUT128_cuda\n# Input: N: 4, IN: 256, OUT: 128, device: cuda\n"
      "Forward Execution Time (us) : 5\nBackward Execution Time (us) : 9\n"
      "# Name: linear_N4_IN256_OUT128_cpu\n# Input: N: 4, IN: 256, OUT: 128, device: cpu\n"
      "Forward Execution Time (us) : 5\n";
  ASSERT_TRUE(is_benchmark(text));
  const auto read = benchmark_rows(text, "t.txt");
  const auto rows = cells(read);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].at("op"), "gemm");
  EXPECT_EQ(rows[0].at("M") + " " + rows[0].at("N") + " " + rows[0].at("K"), "128 32 64");
  EXPECT_EQ(rows[0].at("transA") + rows[0].at("transB"), "TN");
  EXPECT_EQ(rows[0].at("time_us"), "12.345");
  EXPECT_EQ(rows[1].at("batch") + " " + rows[1].at("M") + " " + rows[1].at("N") + " " + rows[1].at("K"), "2 8 256 16");
  EXPECT_EQ(rows[1].at("precision"), "fp16");
  EXPECT_EQ(rows[2].at("op"), "conv");
  EXPECT_EQ(rows[2].at("C") + " " + rows[2].at("K") + " " + rows[2].at("W") + " " + rows[2].at("S"), "256 128 18 3");
  EXPECT_EQ(rows[2].at("stride_w") + rows[2].at("pad_h"), "21");
  EXPECT_EQ(rows[3].at("M") + " " + rows[3].at("N") + " " + rows[3].at("K") + rows[3].at("transB"), "4 128 256T");
  EXPECT_EQ(rows[4].at("op") + " " + rows[4].at("pass"), "benchmark bwd");
  EXPECT_THAT(read->notes.at(0),
              HasSubstr("1 measurement left out, the first: linear_N4_IN256_OUT128_cpu ran on the CPU"));
}

TEST(BenchmarkRows, TorchBenchUnderPytest) {
  const std::string text =
      R"({"machine_info": {"node": "n", "pytorch_version": "1.9.0"}, "datetime": "2021-06-01T10:20:30",
    "version": "3.4.1", "benchmarks": [
      {"name": "test_train[resnet50-cuda-eager]", "stats": {"median": 0.125, "mean": 0.2}},
      {"name": "test_eval[fast-rcnn-cuda]", "stats": {"median": 0.001}},
      {"name": "test_eval[alexnet-cpu-jit]", "stats": {"median": 0.5}},
      {"name": "test_mine", "stats": {"median": 2e-6}},
      {"name": "test_none", "stats": null}]})";
  ASSERT_TRUE(is_benchmark(text));
  const auto read = benchmark_rows(text, "t.json");
  const auto rows = cells(read);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (Cells{{"op", "network"},
                            {"name", "test_train[resnet50-cuda-eager]"},
                            {"model", "resnet50"},
                            {"framework", "PyTorch 1.9.0"},
                            {"pass", "step"},
                            {"time_us", "125000"},
                            {"flag", "batch_not_stated"}}));
  EXPECT_EQ(rows[1].at("model") + " " + rows[1].at("pass"), "fast-rcnn fwd");
  EXPECT_EQ(rows[2].at("op") + " " + rows[2].at("time_us"), "benchmark 2");
  EXPECT_EQ(read->date, "2021-06-01");
  EXPECT_THAT(read->notes.at(0), HasSubstr("2 measurements left out"));
}

TEST(BenchmarkRows, TorchBenchUserBenchmark) {
  const std::string text =
      R"({"name": "test_bench", "environ": {"pytorch_version": "2.4.0", "device": "NVIDIA A100-SXM4-40GB"},
    "metrics": {"model=vgg16, test=eval, device=cuda, bs=8, extra_args=[], metric=latencies": 4.25,
      "model=vgg16, test=eval, device=cuda, bs=8, extra_args=[], metric=gpu_peak_mem": 1.5,
      "model=bert, test=train, device=cuda, bs=None, extra_args=[], metric=latencies": 30,
      "model=bert, test=train, device=cpu, bs=None, extra_args=[], metric=latencies": 30,
      "model=xcit, test=train, device=cuda, bs=None, extra_args=[], metric=latencies": "not_implemented"}})";
  ASSERT_TRUE(is_benchmark(text));
  const auto rows = cells(benchmark_rows(text, "t.json"));
  ASSERT_EQ(rows.size(), 2u);
  const Cells& bert = rows[0].at("model") == "bert" ? rows[0] : rows[1];
  const Cells& vgg = rows[0].at("model") == "bert" ? rows[1] : rows[0];
  EXPECT_EQ(vgg.at("time_us") + " " + vgg.at("batch") + " " + vgg.at("gpu"), "4250 8 a100-sxm4-40gb");
  EXPECT_EQ(vgg.count("flag"), 0u);
  EXPECT_EQ(bert.at("flag") + " " + bert.at("pass"), "batch_not_stated step");
}

TEST(BenchmarkRows, WhatIsWrongIsAnErrorInOneLine) {
  EXPECT_THAT(benchmark_rows("{\"machine_info\": {}, \"benchmarks\": []}", "t.json").error().text(),
              HasSubstr("t.json: pytest-benchmark JSON: nothing to import"));
  EXPECT_FALSE(benchmark_rows("{\"machine_info\": ", "t.json").has_value());
  EXPECT_FALSE(benchmark_rows("[-----\nTimes are in parsecs (pc).\n", "t.txt").has_value());
  EXPECT_FALSE(is_benchmark("{\"traceEvents\": [], \"environ\": 1, \"metrics\": 1}"));
  EXPECT_FALSE(is_benchmark("op,M\n"));
}

// Hand-made profiles of each tool; tests/profiles/SOURCES.md says after what.
TEST(ProfileRows, WhatWasPredictedIsNoMeasurement) {
  const auto rows = profile_rows(
      R"([{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"args":{"dram_bytes":1,"flops":2,"unit":"cuda"}}])",
      "t.json");
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().text(), "t.json: a timeline that Rooftile predicted holds no measurements");
}

TEST(ProfileRows, EveryKindOfProfile) {
  const std::filesystem::path folder = "tests/profiles";
  const auto rows = cells(profile_rows(TestFolder::read((folder / "ncu_raw.csv").string()), "ncu_raw.csv"));
  ASSERT_EQ(rows.size(), 4u);
  for (const Cells& row : rows) EXPECT_EQ(row.at("op"), "kernel");
  EXPECT_TRUE(
      std::any_of(rows.begin(), rows.end(), [](const Cells& row) { return row.count("dram_bytes_measured") > 0; }));
  const auto trace = cells(profile_rows(TestFolder::read((folder / "kineto.json").string()), "kineto.json"));
  ASSERT_FALSE(trace.empty());
  EXPECT_EQ(trace[0].count("time_us"), 1u);
  EXPECT_TRUE(std::any_of(trace.begin(), trace.end(), [](const Cells& row) { return row.count("framework_op") > 0; }));
}

}  // namespace
}  // namespace rooftile::store
