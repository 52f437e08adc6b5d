#include "rooftile/measure/counter_rows.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/ingest/layer_table.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;

class CounterRowsTest : public testing::Test {
 protected:
  CounterRowsTest() {
    std::string name = (fs::temp_directory_path() / "rooftile-counters-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    fs::create_directories(folder / "layers");
    Conv conv;
    conv.axes[1] = conv.axes[2] = {.in = 8, .filter = 3};
    write({conv, DType::fp32, Pass::fwd, Layout::nhwc, "", ""});
    write({Gemm{1, 2, 3, 4}, DType::bf16, Pass::fwd, Layout::nchw, "", ""});
    write({Gemm{1, 5, 6, 7}, DType::bf16, Pass::fwd, Layout::nchw, "", ""});
  }
  ~CounterRowsTest() override { fs::remove_all(folder); }

  void write(const LayerCase& layer) {
    const std::size_t table = layer.op.index();
    const fs::path path = this->path(table);
    const bool there = fs::exists(path);
    LayerTiming timing;
    timing.time_us = {10, 9, 11, 5};
    if (table == 0) timing.algorithm = "implicit_gemm";
    std::ofstream stream(path, std::ios::app);
    if (!there) stream << write_csv_row(columns_of(table));
    stream << write_csv_row(row_of(layer, timing, {}));
  }
  fs::path path(std::size_t table) const { return folder / "layers" / (std::string(kTables[table]) + ".csv"); }

  fs::path folder;
};

TEST_F(CounterRowsTest, CasesAreRowsByTheAlgorithmThatRan) {
  const auto cases = rows_without_counters(folder.string());
  ASSERT_TRUE(cases.has_value()) << cases.error().text();
  ASSERT_EQ(cases->size(), 3);
  EXPECT_EQ((*cases)[0].layer.algorithm, "implicit_gemm");  // though none was asked for
  EXPECT_EQ((*cases)[0].layer.layout, Layout::nhwc);
  EXPECT_EQ(std::get<Gemm>((*cases)[2].layer.op).m, 5);
  EXPECT_EQ((*cases)[2].row, 1);
}

TEST_F(CounterRowsTest, CountersReachTheirRows) {
  const auto cases = rows_without_counters(folder.string());
  JoinedCounters joined;
  joined.cases.resize(3);
  joined.cases[0] =
      CaseCounters{.kernel_launches = 2, .l1_bytes = 100, .l2_bytes = {}, .dram_bytes = 1e12, .time_s = {}};
  joined.cases[2] = CaseCounters{.kernel_launches = 1, .l1_bytes = 1, .l2_bytes = 2, .dram_bytes = 3, .time_s = {}};
  joined.cases[2]->stalls = {{"exec_dependency", 0.75}, {"other", 0.25}};
  EXPECT_EQ(write_counters(folder.string(), *cases, joined).value(), 2);

  LayerTableOptions options;
  options.measurements = true;
  const auto gemm = parse_layer_table(*read_text_file(path(1).string()), "gemm.csv", options);
  ASSERT_TRUE(gemm.has_value()) << gemm.error().text();
  EXPECT_FALSE(gemm->rows[0].measured.dram.has_value());
  EXPECT_EQ(gemm->rows[1].measured.dram, Bytes(3));
  const auto conv = parse_layer_table(*read_text_file(path(0).string()), "conv.csv", options);
  EXPECT_EQ(conv->rows[0].measured.dram, Bytes(1e12));
  EXPECT_EQ(conv->rows[0].measured.launches, 2);
  EXPECT_FALSE(conv->rows[0].measured.l2.has_value());  // not known, not zero
  EXPECT_NE(read_text_file(path(1).string())->find("exec_dependency 0.750; other 0.250"), std::string::npos);

  // What has counters is not counted again.
  const auto rest = rows_without_counters(folder.string());
  ASSERT_EQ(rest->size(), 1);
  EXPECT_EQ(std::get<Gemm>(rest->front().layer.op).m, 2);
}

TEST_F(CounterRowsTest, AnotherTableIsAnError) {
  std::ofstream(path(4)) << "a,b\n1,2\n";
  EXPECT_FALSE(rows_without_counters(folder.string()).has_value());
}

TEST_F(CounterRowsTest, AnEmptyFolderHasNoCases) {
  EXPECT_TRUE(rows_without_counters((folder / "nothing").string())->empty());
}

}  // namespace
}  // namespace rooftile::measure
