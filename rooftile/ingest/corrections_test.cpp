#include "rooftile/ingest/corrections.hpp"

#include <string>

#include <gtest/gtest.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/ingest/embedded_corrections.hpp"
#include "rooftile/ingest/layer_table.hpp"

namespace rooftile {
namespace {

TEST(Corrections, HaveAColumnForEachPartAndAReason) {
  for (const EmbeddedText& file : embedded_corrections()) {
    const std::vector<CsvRow> rows = parse_csv(file.text, file.path).value();
    const std::vector<std::string> columns = {"source", "gpu",  "if_path", "unless_path",
                                              "column", "cell", "correct", "why"};
    EXPECT_EQ(rows.at(0).cells, columns) << file.path;
    for (const CsvRow& row : rows) {
      ASSERT_EQ(row.cells.size(), columns.size()) << file.path << ":" << row.line;
      EXPECT_FALSE(row.cells.back().empty()) << file.path << ":" << row.line;
    }
  }
}

TEST(Corrections, A100sOfMlperfsRoundV11Have80GB) {
  const auto gpu = [](const std::string& cells) {
    const std::string csv = "op,model,batch,gpu,source,path\nnetwork,resnet50,16," + cells + "\n";
    return parse_layer_table(csv, "t.csv", {}).value().rows.at(0).gpu;
  };
  EXPECT_EQ(gpu("a100-sxm4-40gb,MLPerf Training v1.1,NVIDIA/results/dgxa100_ngc21.09_mxnet/resnet"), "a100-sxm4-80gb");
  EXPECT_EQ(gpu("a100-sxm4-40gb,MLPerf Training v1.1,Dell/results/XE8545x4A100-SXM-40GB/resnet"), "a100-sxm4-40gb");
  EXPECT_EQ(gpu("a100-sxm4-40gb,MLPerf Training v0.7,NVIDIA/results/dgxa100_ngc20.06_mxnet/resnet"), "a100-sxm4-40gb");
  EXPECT_EQ(gpu("a100-pcie-40gb,MLPerf Training v1.1,Fujitsu/results/PRIMERGY-GX2460M1-mxnet/resnet"),
            "a100-pcie-40gb");
}

TEST(Corrections, HostsOfFasterTransformersGuidesAreThoseThatTheyName) {
  const auto rating = [](const std::string& cells) {
    const std::string csv = "op,model,batch,source,gpu,path,single_thread\nnetwork,bert_base,1," + cells + "\n";
    return std::get<NetworkRun>(parse_layer_table(csv, "t.csv", {}).value().rows.at(0).op).host_single_thread;
  };
  EXPECT_EQ(rating("FasterTransformer,t4,docs/bert_guide.md:1480,"), 1485);
  EXPECT_EQ(rating("FasterTransformer,t4,docs/swin_guide.md:307,"), 2180);
  EXPECT_EQ(rating("FasterTransformer,a10,docs/bert_guide.md:1436,"), std::nullopt) << "no guide names its host";
  EXPECT_EQ(rating("FasterTransformer,t4,docs/bert_guide.md:1480,2600"), 2600) << "the row's own";
  EXPECT_EQ(rating("mine,t4,docs/bert_guide.md:1480,"), std::nullopt);
  for (const char* wrong : {"abc", "-1", "99", "1e7"}) {
    const std::string csv = std::string("op,model,batch,single_thread\nnetwork,resnet50,1,") + wrong + "\n";
    EXPECT_EQ(parse_layer_table(csv, "t.csv", {}).error().code, ErrorCode::bad_input) << wrong;
  }
}

}  // namespace
}  // namespace rooftile
