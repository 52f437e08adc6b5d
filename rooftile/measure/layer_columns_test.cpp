#include "rooftile/measure/layer_columns.hpp"

#include <gtest/gtest.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/ingest/layer_table.hpp"

namespace rooftile::measure {
namespace {

LayerTiming timing() {
  LayerTiming timing;
  timing.time_us = {123.456789, 120, 130, 15};
  timing.kernels = {{"pad", {8, 1, 1}, {64, 1, 1}, 32, 0, 2},
                    {"gemm<int, \"x\">", {4, 5, 6}, {16, 16, 1}, 128, 49152, 100}};
  timing.algorithm = "winograd";
  timing.launched = "graph";
  timing.error = 1.5e-7;
  return timing;
}

RowContext context() { return {"h200-sxm-141gb", L2State::cold, "2026-11-21", "580.65.06", "9.19", "13.1", "0.1.0"}; }

LayerCase conv_case() {
  Conv conv;
  conv.batch = 256, conv.in_channels = 64, conv.out_channels = 128;
  conv.axes[1] = {.in = 56, .filter = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 0};
  conv.axes[2] = {.in = 28, .filter = 5, .stride = 1, .dilation = 2, .pad_begin = 2, .pad_end = 3};
  conv.groups = 2;
  return {conv, DType::fp16, Pass::bwd_weight, Layout::nhwc, "winograd", "a \"layer\", of\nmine"};
}

std::vector<LayerCase> one_of_each() {
  Attention attention;
  attention.batch = 3, attention.q_len = 1, attention.kv_len = 512, attention.heads = 8, attention.kv_heads = 2;
  attention.head_dim = 128, attention.causal = true, attention.kv_precision = DType::fp8;
  return {conv_case(),
          {Gemm{2, 3, 4, 5, true, false, true}, DType::int8, Pass::bwd_data, Layout::nchw, "", "fc"},
          {attention, DType::bf16, Pass::fwd, Layout::nchw, "", ""},
          {Recurrent{"gru", 2, 3, 4, 5, 6, 2, false}, DType::tf32, Pass::fwd, Layout::nchw, "", ""},
          {StreamLayer{StreamKind::softmax, 7, 8}, DType::fp32, Pass::fwd, Layout::nchw, "", ""}};
}

// What `rooftile validate` reads is what was measured.
TEST(LayerColumns, RowsAreLayerTables) {
  for (const LayerCase& layer : one_of_each()) {
    const std::size_t table = layer.op.index();
    const std::string text = write_csv_row(columns_of(table)) + write_csv_row(row_of(layer, timing(), context()));
    LayerTableOptions options;
    options.measurements = true;
    const auto read = parse_layer_table(text, kTables[table], options);
    ASSERT_TRUE(read.has_value()) << read.error().text();
    ASSERT_EQ(read->rows.size(), 1);
    const LayerRow& row = read->rows.front();
    EXPECT_TRUE(std::visit([&](const auto& op) { return RowOp(op) == row.op; }, layer.op)) << kTables[table];
    EXPECT_EQ(row.precision, layer.precision);
    EXPECT_EQ(name_of(row.phase), name_of(layer.pass));
    EXPECT_EQ(row.gpu, "h200-sxm-141gb");
    EXPECT_NEAR(row.measured.time->value(), 123.457e-6, 1e-9);
    EXPECT_EQ(row.measured.launches, 2);
    EXPECT_FALSE(row.measured.dram.has_value());
    EXPECT_EQ(row.kernel, "gemm<int, \"x\">");  // the longest
    EXPECT_EQ(row.grid, (std::array<std::int64_t, 3>{4, 5, 6}));
    EXPECT_EQ(row.block_threads, 256);
  }
}

TEST(LayerColumns, OnlyKnownAlgorithmsReachTheirColumn) {
  LayerTiming odd = timing();
  odd.algorithm = "fft_tiling";
  const std::string text = write_csv_row(columns_of(0)) + write_csv_row(row_of(conv_case(), odd, context()));
  const auto read = parse_layer_table(text, "conv.csv");
  ASSERT_TRUE(read.has_value()) << read.error().text();
  EXPECT_EQ(read->rows.front().algorithm, "");
  EXPECT_NE(text.find("fft_tiling"), std::string::npos);
}

TEST(LayerColumns, NoKernelsNoNumbersOfThem) {
  LayerTiming blind = timing();
  blind.kernels.clear();
  const std::string text = write_csv_row(columns_of(0)) + write_csv_row(row_of(conv_case(), blind, context()));
  LayerTableOptions options;
  options.measurements = true;
  const auto read = parse_layer_table(text, "conv.csv", options);
  ASSERT_TRUE(read.has_value()) << read.error().text();
  EXPECT_FALSE(read->rows.front().measured.launches.has_value());
  EXPECT_EQ(read->rows.front().block_threads, 0);
}

TEST(LayerColumns, KeysSurviveTheTable) {
  for (const LayerCase& layer : one_of_each()) {
    const std::size_t table = layer.op.index();
    const auto keys = keys_of(table, {row_of(layer, timing(), context())});
    EXPECT_EQ(keys, std::vector<std::string>{key_of(layer, L2State::cold)});
    EXPECT_NE(keys.front(), key_of(layer, L2State::warm));
  }
  EXPECT_EQ(key_of(one_of_each()[4], L2State::cold),
            "stream kind=softmax rows=7 columns=8 precision=fp32 pass=fwd l2=cold");
  LayerCase other = conv_case();
  other.algorithm = "";
  EXPECT_NE(key_of(other, L2State::cold), key_of(conv_case(), L2State::cold));
  other = conv_case();
  other.layer = "the same layer elsewhere";
  EXPECT_EQ(key_of(other, L2State::cold), key_of(conv_case(), L2State::cold));
}

}  // namespace
}  // namespace rooftile::measure
