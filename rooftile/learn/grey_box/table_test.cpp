#include "rooftile/learn/grey_box/table.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/learn/grey_box/grey_box.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<MeasuredTable> phase_tables(const std::string& csv) {
  auto table = parse_layer_table(csv, "t.csv", {.keep_unsupported = true, .measurements = true});
  EXPECT_TRUE(table) << table.error().text();
  std::vector<MeasuredTable> tables;
  if (table) tables.emplace_back("t.csv", std::move(*table));
  return tables;
}

constexpr const char* kRowHeader = "op,kind,gpu,precision,pass,M,N,K,rows,columns,time_us\n";

// Of products forward on one GPU; of others only where `other_gpus`.
regression::FittedModel model_of_products(bool other_gpus) {
  std::string csv = kRowHeader;
  for (const int size : {64, 128, 256, 512}) {
    csv += fmt::format("gemm,,t4,fp32,fwd,{0},{0},{0},,,{1}\n", size, 100 + size);
  }
  return *fit_grey_box(*grey_box_rows(phase_tables(csv)), {.other_gpus = other_gpus});
}

std::vector<std::string> reasons_of(const GreyBoxTimes& times) {
  std::vector<std::string> reasons;
  for (const RefusedRow& row : times.refused) reasons.push_back(row.why.text());
  return reasons;
}

TEST(GreyBoxTable, RowsWithoutATimeAreRefusedByLineAndTheOthersPredicted) {
  const auto tables = phase_tables(std::string(kRowHeader) +
                                   "stream,softmax,t4,fp32,fwd,,,,64,64,\n"
                                   "gemm,,t4,fp32,fwd,128,128,128,,,\n"
                                   "gemm,,,fp32,fwd,128,128,128,,,\n"
                                   "network_layer,,t4,fp32,fwd,,,,,,\n"
                                   "gemm,,t44,fp32,fwd,128,128,128,,,\n"
                                   "gemm,,t4,fp32,bwd_data,128,128,128,,,\n"
                                   "gemm,,p4,fp32,fwd,256,256,256,,,\n"
                                   "gemm,,t4,fp8,fwd,256,256,256,,,\n");
  const auto times = grey_box_times(model_of_products(true), tables);
  ASSERT_TRUE(times) << times.error().text();
  ASSERT_THAT(times->rows.rows, SizeIs(2));
  EXPECT_EQ(times->rows.rows[0]->line, 3);
  EXPECT_EQ(times->rows.rows[1]->line, 8);
  ASSERT_THAT(times->predicted, SizeIs(2));
  EXPECT_GT(times->predicted[0].value, 0);
  EXPECT_THAT(
      reasons_of(*times),
      ElementsAre("t.csv:2: the model is not for stream rows", "t.csv:4: column gpu is empty",
                  "t.csv:5: not predicted yet: network_layer rows", HasSubstr("t.csv:6, column gpu: no GPU 't44'"),
                  "t.csv:7: the model has not been fitted to rows of gemm bwd_data", HasSubstr("t.csv:9: ")));
}

// A row that is wrong says so by the kind of its error, whatever its operation; the others are right, but not the
// model's.
TEST(GreyBoxTable, RowsOfNoKnownGpuAreWrongAndTheOtherRefusedOnesUnsupported) {
  const auto tables = phase_tables(std::string(kRowHeader) +
                                   "stream,softmax,t4,fp32,fwd,,,,64,64,\n"
                                   "stream,softmax,t44,fp32,fwd,,,,64,64,\n"
                                   "stream,softmax,,fp32,fwd,,,,64,64,\n"
                                   "gemm,,t44,fp32,bwd_data,128,128,128,,,\n"
                                   "gemm,,,fp32,fwd,128,128,128,,,\n"
                                   "gemm,,t4,fp32,bwd_data,128,128,128,,,\n"
                                   "gemm,,t4,fp8,fwd,256,256,256,,,\n");
  const auto times = grey_box_times(model_of_products(true), tables);
  ASSERT_TRUE(times) << times.error().text();
  std::vector<std::size_t> wrong, without_time;
  for (const RefusedRow& row : times->refused) {
    (row.why.code == ErrorCode::unsupported ? without_time : wrong).push_back(row.line);
  }
  EXPECT_THAT(wrong, ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(without_time, ElementsAre(2, 7, 8));
  EXPECT_THAT(reasons_of(*times)[1], HasSubstr("t.csv:3, column gpu: no GPU 't44'"));
}

TEST(GreyBoxTable, GpusThatTheFitHadNotAreRefusedWhereItIsForItsOwnAlone) {
  const auto tables = phase_tables(std::string(kRowHeader) + "gemm,,p4,fp32,fwd,256,256,256,,,\n");
  const auto times = grey_box_times(model_of_products(false), tables);
  ASSERT_TRUE(times) << times.error().text();
  EXPECT_THAT(times->predicted, IsEmpty());
  EXPECT_THAT(reasons_of(*times), ElementsAre("t.csv:2: the model has not been fitted to rows of gemm, other GPUs"));
}

TEST(GreyBoxTable, NoRowsAreNoTimesButOtherModelsAnError) {
  const auto none = grey_box_times(model_of_products(true), phase_tables(kRowHeader));
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_THAT(none->predicted, IsEmpty());
  regression::FittedModel other = model_of_products(true);
  other.kind = "layers";
  EXPECT_FALSE(grey_box_times(other, phase_tables(kRowHeader)));
}

}  // namespace
}  // namespace rooftile
