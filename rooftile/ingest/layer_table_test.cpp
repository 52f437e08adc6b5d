#include "rooftile/ingest/layer_table.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/ingest/test_table.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kHeader = "N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w";
constexpr const char* kConv1 = "256,3,224,224,96,11,11,2,2,4,4";  // AlexNet conv1

// Header and row of a convolution with more columns at the end.
std::string conv_table(const std::string& more_columns = "", const std::string& more_cells = "") {
  return std::string(kHeader) + more_columns + "\n" + kConv1 + more_cells + "\n";
}

Conv conv_of(const LayerTable& table) { return std::get<Conv>(table.rows.at(0).op); }

TEST(LayerTable, ReadsAConvolution) {
  const LayerTable table = parsed_table(conv_table());
  ASSERT_THAT(table.rows, SizeIs(1));
  const Conv conv = conv_of(table);
  EXPECT_EQ(conv.batch, 256);
  EXPECT_EQ(conv.in_channels, 3);
  EXPECT_EQ(conv.out_channels, 96);
  const ConvAxis axis = {.in = 224, .filter = 11, .stride = 4, .dilation = 1, .pad_begin = 2, .pad_end = 2};
  EXPECT_EQ(conv.axes[0], ConvAxis());
  EXPECT_EQ(conv.axes[1], axis);
  EXPECT_EQ(conv.axes[2], axis);
  EXPECT_EQ(conv.groups, 1);
  EXPECT_EQ(table.rows[0].precision, DType::fp32);
  EXPECT_EQ(table.rows[0].gpu, "");
  EXPECT_EQ(table.rows[0].line, 2u);
}

TEST(LayerTable, ReadsOptionalGeometry) {
  const Conv conv = conv_of(parsed_table(conv_table(",pad_h_end,pad_w_end,dilation_h,dilation_w,groups", ",3,,2,1,3")));
  EXPECT_EQ(conv.axes[1].pad_end, 3);
  EXPECT_EQ(conv.axes[2].pad_end, 2);  // an empty cell: the same as before
  EXPECT_EQ(conv.axes[1].dilation, 2);
  EXPECT_EQ(conv.axes[2].dilation, 1);
  EXPECT_EQ(conv.groups, 3);
}

TEST(LayerTable, TellsTheAxesApart) {
  const Conv conv =
      conv_of(parsed_table("op,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w\nconv,4,1,161,700,32,5,20,0,1,2,3\n"));
  EXPECT_EQ(conv.axes[1], (ConvAxis{.in = 161, .filter = 5, .stride = 2}));
  EXPECT_EQ(conv.axes[2], (ConvAxis{.in = 700, .filter = 20, .stride = 3, .pad_begin = 1, .pad_end = 1}));
}

TEST(LayerTable, ReadsAGemm) {
  const LayerTable table = parsed_table("M,N,K,batch,transA,transB\n16,32,64,3,N,T\n1,2,3,,,\n");
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(std::get<Gemm>(table.rows[0].op), (Gemm{.batch = 3, .m = 16, .n = 32, .k = 64, .trans_b = true}));
  EXPECT_EQ(std::get<Gemm>(table.rows[1].op), (Gemm{.m = 1, .n = 2, .k = 3}));
}

TEST(LayerTable, MixesOpsInOneTable) {
  const LayerTable table = parsed_table(
      "op,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,M\n"
      "conv,1,3,8,8,4,3,3,1,1,1,1,\n"
      "gemm,5,,,,7,,,,,,,6\n");
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<Conv>(table.rows[0].op));
  EXPECT_EQ(std::get<Gemm>(table.rows[1].op), (Gemm{.m = 6, .n = 5, .k = 7}));
}

TEST(LayerTable, KeepsEveryCellAsItIs) {
  const LayerTable table = parsed_table(conv_table(",algorithm,note,time_us", ",winograd,\" a, \"\"b\"\"\nc\",1.50"));
  EXPECT_THAT(table.columns, SizeIs(14));
  EXPECT_EQ(table.columns.back(), "time_us");
  ASSERT_THAT(table.rows, SizeIs(1));
  EXPECT_EQ(table.rows[0].cells[11], "winograd");
  EXPECT_EQ(table.rows[0].cells[12], " a, \"b\"\nc");
  EXPECT_EQ(table.rows[0].cells[13], "1.50");
}

TEST(LayerTable, ChecksStatedOutputs) {
  EXPECT_THAT(parsed_table(conv_table(",out_h,out_w", ",55,55")).rows, SizeIs(1));
  EXPECT_THAT(parsed_table(conv_table(",out_h,out_w", ",,")).rows, SizeIs(1));
  EXPECT_EQ(table_error(conv_table(",out_h,out_w", ",55,54")), "t.csv:2, column out_w: 54, but the geometry gives 55");
}

TEST(LayerTable, FillsAndOverridesGpuAndPrecision) {
  const std::string csv = "M,N,K,gpu,precision\n1,1,1,t4,fp16\n1,1,1,,\n";
  const auto values = [&](const LayerTableOptions& options) {
    std::vector<std::string> result;
    for (const LayerRow& row : parsed_table(csv, options).rows) {
      result.push_back(row.gpu + "/" + std::string(name_of(row.precision)));
    }
    return result;
  };
  EXPECT_THAT(values({}), ElementsAre("t4/fp16", "/fp32"));
  EXPECT_THAT(values({.gpu = "v100", .precision = "bf16"}), ElementsAre("t4/fp16", "v100/bf16"));
  EXPECT_THAT(values({.gpu = "v100", .precision = "bf16", .override_cells = true}),
              ElementsAre("v100/bf16", "v100/bf16"));
  EXPECT_THAT(values({.gpu = "v100", .override_cells = true}), ElementsAre("v100/fp16", "v100/fp32"));
}

// --override replaces a precision that cannot be read, so it is no error.
TEST(LayerTable, DoesNotReadOverriddenCells) {
  const std::string csv = "M,N,K,precision\n1,1,1,int12\n";
  EXPECT_THAT(table_error(csv), HasSubstr("t.csv:2, column precision: unknown precision 'int12'"));
  const LayerTable table = parsed_table(csv, {.precision = "fp32", .override_cells = true});
  EXPECT_THAT(table.rows, SizeIs(1));
}

TEST(LayerTable, KnowsPrecisionsByTheirNames) {
  const LayerTable table =
      parsed_table("M,N,K,precision\n1,1,1,half\n1,1,1,float32\n1,1,1,bfloat16\n1,1,1,tf32\n1,1,1,int8\n");
  ASSERT_THAT(table.rows, SizeIs(5));
  EXPECT_EQ(table.rows[0].precision, DType::fp16);
  EXPECT_EQ(table.rows[2].precision, DType::bf16);
  EXPECT_EQ(table.rows[4].precision, DType::int8);
  EXPECT_EQ(parsed_table("M,N,K,precision\n1,1,1,FP16\n").rows[0].precision, DType::fp16);
  EXPECT_EQ(parsed_table("M,N,K\n1,1,1\n", {.precision = "BF16"}).rows[0].precision, DType::bf16);
  EXPECT_EQ(parsed_table("op,M,N,K\nGEMM,1,1,1\n").rows.size(), 1u);
  EXPECT_THAT(table_error("M,N,K,precision\n1,1,1,int64\n"), HasSubstr("unknown precision 'int64'"));
  EXPECT_THAT(table_error("M,N,K\n1,1,1\n", {.precision = "fp31"}), HasSubstr("did you mean 'fp32'?"));
}

TEST(LayerTable, ReadsPasses) {
  EXPECT_EQ(parsed_table(conv_table()).rows[0].phase, Phase::fwd);
  EXPECT_EQ(parsed_table(conv_table(",pass", ",")).rows[0].phase, Phase::fwd);
  EXPECT_EQ(parsed_table(conv_table(",pass", ",bwd_data")).rows[0].phase, Phase::bwd_data);
  EXPECT_EQ(parsed_table("M,N,K,pass\n1,1,1,BWD_weight\n").rows[0].phase, Phase::bwd_weight);
}

TEST(LayerTable, CollectivesAreReadByKindGpusAndBytes) {
  const LayerTable table = parsed_table("op,kind,gpus,bytes,precision\ncollective,alltoall,8,4e9,bf16\n");
  EXPECT_EQ(std::get<Collective>(table.rows[0].op), (Collective{CollectiveKind::all_to_all, 8, Bytes(4e9)}));
  EXPECT_EQ(table.rows[0].precision, DType::bf16);
  const auto error = [](const std::string& cells) {
    return table_error("op,kind,gpus,bytes\ncollective," + cells + "\n");
  };
  EXPECT_THAT(error("all_redice,8,512"), HasSubstr("unknown kind 'all_redice'; did you mean 'all_reduce'? One of"));
  EXPECT_THAT(error("all_reduce,1,512"), HasSubstr("column gpus: "));
  EXPECT_THAT(error("all_reduce,8,0"), HasSubstr("column bytes: "));
  EXPECT_THAT(error("all_reduce,8,"), HasSubstr("column bytes: "));
  const LayerTable engine = parsed_table("op,kind,gpus,bytes,framework\ncollective,all_reduce,8,512,vllm 0.6\n");
  EXPECT_EQ(engine.rows[0].framework, "vLLM 0.6");
}

TEST(LayerTable, SumsOfPassesAndOtherOpsSaySo) {
  EXPECT_EQ(table_error(conv_table(",pass", ",step")), "no error");
  EXPECT_EQ(parsed_table(conv_table(",pass", ",Training")).rows[0].phase, Phase::step);
  EXPECT_THAT(table_error(conv_table(",pass", ",step_as_profiled")),
              HasSubstr("'step_as_profiled' is not supported yet"));
  EXPECT_EQ(table_error(conv_table(",pass", ",fwdd")),
            "t.csv:2, column pass: unknown pass 'fwdd'; did you mean 'fwd'?");
  EXPECT_EQ(table_error(conv_table(",pass", ",\x1b[31m")), "t.csv:2, column pass: unknown pass '?[31m'");
  EXPECT_THAT(parsed_table(conv_table(",pass", ",fwd")).rows, SizeIs(1));
  EXPECT_THAT(parsed_table(conv_table(",pass", ",FWD")).rows, SizeIs(1));
  EXPECT_THAT(parsed_table(conv_table(",pass", ",inference")).rows, SizeIs(1));
  for (const std::string op : {"network_layer", "kernel"}) {
    EXPECT_EQ(table_error("op,x\n" + op + ",1\n"),
              "t.csv:2, column op: " + op +
                  " rows are not supported yet; conv, gemm, attention, rnn, stream, "
                  "network, collective are");
  }
  EXPECT_EQ(table_error("op,x\ncomv,1\n"), "t.csv:2, column op: unknown op 'comv'; did you mean 'conv'?");
  EXPECT_EQ(table_error("op,x\n,1\n"), "t.csv:2, column op: the cell is empty");
}

TEST(LayerTable, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(table_error("M,N,K\n1,1,1\n\n1,x,1\n"), "t.csv:4, column N: 'x' is not a whole number");
  EXPECT_EQ(table_error("M,N,K\n1,1.5,1\n"), "t.csv:2, column N: '1.5' is not a whole number");
  EXPECT_EQ(table_error("M,N,K\n1,,1\n"), "t.csv:2, column N: the cell is empty");
  EXPECT_EQ(table_error("M,N,K\n0,1,1\n"), "t.csv:2, column M: 0 is not between 1 and 2147483648");
  EXPECT_EQ(table_error("M,N,K\n-5,1,1\n"), "t.csv:2, column M: -5 is not between 1 and 2147483648");
  EXPECT_EQ(table_error("M,N,K\n1,99999999999999999999,1\n"),
            "t.csv:2, column N: 99999999999999999999 is not between 1 and 2147483648");
  EXPECT_EQ(table_error("M,N,K,transA\n1,1,1,yes\n"), "t.csv:2, column transA: 'yes' is neither N nor T");
  EXPECT_EQ(table_error("M,N,K\n1,1\n"), "t.csv:2: 2 cells in a table of 3 columns");
  EXPECT_EQ(table_error("M,N,KK\n1,1,1\n"),
            "t.csv:2: the table has no column 'K', which this row needs; did you mean 'KK'?");
  EXPECT_EQ(table_error("M\n1\n"), "t.csv:2: the table has no columns N, K, which this row needs");
  EXPECT_EQ(table_error(std::string(kHeader) + "\n1,3,5,5,4,9,9,0,0,1,1\n"),
            "t.csv:2: convolution height: a filter that spans 9 does not fit into 5 padded positions");
  EXPECT_THAT(table_error(conv_table(",groups", ",2")), HasSubstr("t.csv:2: convolution with 2 groups cannot split"));
}

TEST(LayerTable, RowsTooLargeToCountExactly) {
  EXPECT_THAT(table_error("M,N,K\n2147483648,2147483648,1\n"), HasSubstr("too large"));
  EXPECT_THAT(table_error("M,N,K,batch\n2147483648,1,1,2147483648\n"), HasSubstr("too large"));
  EXPECT_THAT(table_error(std::string(kHeader) + "\n2147483648,2147483648,1,1,1,1,1,0,0,1,1\n"),
              HasSubstr("too large"));
  EXPECT_THAT(
      table_error(std::string(kHeader) + "\n2147483648,2147483648,2147483648,2147483648,2147483648,1,1,0,0,1,1\n"),
      HasSubstr("too large"));
}

TEST(LayerTable, NetworksOfATableThatOthersMade) {
  const LayerTable table =
      parsed_table("Model,GPU,Batch Size,dtype,Latency (ms)\nresnet50,T4,32,float16,12.5\n", {.measurements = true});
  ASSERT_EQ(table.rows.size(), 1u);
  const LayerRow& row = table.rows.front();
  EXPECT_EQ(std::get<NetworkRun>(row.op).model, "resnet50");
  EXPECT_EQ(row.gpu, "T4");
  EXPECT_EQ(row.precision, DType::fp16);
  EXPECT_DOUBLE_EQ(row.measured.time.value().value(), 12.5e-3);
}

TEST(LayerTable, TwoColumnsOfOneMeaningAreAnError) {
  const auto table = [](const std::string& header, std::vector<std::string> ignore) {
    return parse_layer_table(header + "\nresnet50,t4,8,16\n", "t.csv", {.ignore = std::move(ignore)});
  };
  EXPECT_EQ(table("model,gpu,batch,Batch Size", {}).error().text(),
            "t.csv:1: columns 'batch' and 'Batch Size' mean the same; rename one of them");
  EXPECT_EQ(table("model,gpu,bs,batch_size", {}).error().text(),
            "t.csv:1: columns 'bs' and 'batch_size' mean the same; rename one of them");
  const auto kept = table("model,gpu,bs,batch_size", {"bs"});
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(std::get<NetworkRun>(kept->rows.at(0).op).batch, 16);
  EXPECT_TRUE(parse_layer_table("model,gpu,batch,network\nresnet50,t4,8,NVLink\n", "t.csv", {}));
}

TEST(LayerTable, AColumnIsHiddenByItsOwnName) {
  const auto table = parse_layer_table("Model,GPU,Batch Size\nresnet50,T4,8\n", "t.csv", {.ignore = {"Batch Size"}});
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(std::get<NetworkRun>(table->rows.at(0).op).batch, std::nullopt) << "the network's own";
}

TEST(LayerTable, ReadsSamplesASecond) {
  const LayerTable table = parsed_table("model,gpu,batch size,images/s\nresnet50,t4,8,1000\n", {.measurements = true});
  EXPECT_DOUBLE_EQ(table.rows.at(0).measured.time.value().value(), 0.008);
}

TEST(LayerTable, TablesThatAreNone) {
  EXPECT_EQ(table_error(""), "t.csv: the file is empty");
  EXPECT_EQ(table_error("\n\n"), "t.csv: the file is empty");
  EXPECT_THAT(table_error("a,b\n1,2\n"), HasSubstr("t.csv:1: not a layer table: no column 'op'"));
  EXPECT_EQ(table_error("M,N,K,M\n"), "t.csv:1: two columns are called 'M'");
  EXPECT_EQ(table_error("M,N,K\n1,\"2,3\n4,5,6\n"), "t.csv:2: unclosed quote");
  EXPECT_THAT(table_error(std::string("M,N\0,K\n", 7)), HasSubstr("t.csv:1: a NUL byte"));
  EXPECT_THAT(parsed_table("M,N,K\n").rows, IsEmpty());
}

TEST(LayerTable, SkipsBadRowsOnRequest) {
  const LayerTable table = parsed_table("M,N,K\n1,1,1\n1,x,1\n2,2\n3,3,3\n", {.skip_bad_rows = true});
  EXPECT_THAT(table.rows, SizeIs(2));
  ASSERT_THAT(table.bad_rows, SizeIs(2));
  EXPECT_EQ(table.bad_rows[0].text(), "t.csv:3, column N: 'x' is not a whole number");
  EXPECT_EQ(table.bad_rows[1].where, "t.csv:4");
  EXPECT_EQ(table.rows[1].line, 5u);
}

TEST(LayerTable, KeepsApartWhatIsNotPredictedYet) {
  const LayerTable table =
      parsed_table("op,M,N,K,pass\nkernel,,,,fwd\ngemm,1,1,1,step_as_profiled\ngemm,1,x,1,step\ngemm,1,1,1,\n",
                   {.skip_bad_rows = true, .keep_unsupported = true});
  EXPECT_THAT(table.rows, SizeIs(1));
  ASSERT_THAT(table.unsupported, SizeIs(2));
  EXPECT_EQ(table.unsupported[0].what, "kernel rows");
  EXPECT_EQ(table.unsupported[1].what, "gemm rows of pass step_as_profiled");
  EXPECT_EQ(table.unsupported[1].line, 3u);
  EXPECT_THAT(table.unsupported[0].cells, ElementsAre("kernel", "", "", "", "fwd"));
  EXPECT_THAT(table.bad_rows, SizeIs(1));  // wrong before it is unsupported
}

TEST(LayerTable, KeepsApartPrecisionsThatAreNotPredictedYet) {
  const LayerTable table =
      parsed_table("M,N,K,precision\n1,1,1,fp64\n1,1,1,double\n1,1,1,fp16\n", {.keep_unsupported = true});
  EXPECT_THAT(table.rows, SizeIs(1));
  ASSERT_THAT(table.unsupported, SizeIs(2));
  EXPECT_EQ(table.unsupported[0].what, "gemm rows of precision fp64");
  EXPECT_EQ(table.unsupported[1].what, "gemm rows of precision double");
  EXPECT_EQ(table_error("M,N,K,precision\n1,1,1,fp64\n"),
            "t.csv:2, column precision: precision fp64 is not supported yet");
  EXPECT_EQ(table_error("op,kind,rows,columns,precision\nstream,gelu,8,8,nvfp4\n"),
            "t.csv:2, column precision: nvfp4 is of gemm and network rows");
}

TEST(LayerTable, ReadsWhatIsKnownOfTheKernel) {
  const LayerTable table = parsed_table(
      "M,N,K,framework,algorithm,kernel,grid_x,grid_y,grid_z,block_threads,flag\n"
      "1,1,1,PyTorch,Implicit_GEMM,sgemm_128x64,8,4,1,256,odd\n1,1,1,,,,,,,,\n");
  const LayerRow& row = table.rows.at(0);
  EXPECT_EQ(row.framework, "PyTorch");
  EXPECT_EQ(row.algorithm, "implicit_gemm");
  EXPECT_EQ(row.kernel, "sgemm_128x64");
  EXPECT_THAT(row.grid, ElementsAre(8, 4, 1));
  EXPECT_EQ(row.block_threads, 256);
  EXPECT_EQ(row.flag, "odd");
  EXPECT_EQ(table.rows.at(1).algorithm, "");
  EXPECT_EQ(table.rows.at(1).block_threads, 0);
  EXPECT_THAT(table_error("M,N,K,algorithm\n1,1,1,winogard\n"), HasSubstr("did you mean 'winograd'?"));
}

TEST(LayerTable, ReadsTheLimitOfTheClock) {
  const LayerTable table = parsed_table("M,N,K,sm_clock_mhz\n1,1,1,1380\n1,1,1,\n");
  EXPECT_EQ(table.rows.at(0).sm_clock, Hertz(1.38e9));
  EXPECT_FALSE(table.rows.at(1).sm_clock);
  EXPECT_EQ(table_error("M,N,K,sm_clock_mhz\n1,1,1,1e-9\n"),
            "t.csv:2, column sm_clock_mhz: '1e-9' is not between 100 and 10,000");
}

TEST(LayerTable, KnowsWhichAlgorithmsWereAskedFor) {
  const LayerTable table = parsed_table("M,N,K,algorithm,algorithm_asked\n1,1,1,fft,fft\n1,1,1,fft,\n");
  EXPECT_TRUE(table.rows.at(0).asked);
  EXPECT_FALSE(table.rows.at(1).asked);
}

TEST(LayerTable, ReadsHowAConvolutionLiesAndAdds) {
  const LayerTable table = parsed_table(conv_table(
      ",layout,accumulate,output_precision,tile_m,tile_n,tile_k,stages,split_k", ",NHWC,fp16,fp32,256,128,32,3,4"));
  const LayerRow& row = table.rows.at(0);
  EXPECT_TRUE(row.nhwc);
  EXPECT_EQ(row.accumulate, DType::fp16);
  EXPECT_EQ(row.output_precision, DType::fp32);
  EXPECT_EQ(row.kernel, "256x128_32x3");
  EXPECT_EQ(row.split_k, 4);
  const LayerRow named = parsed_table(conv_table(",kernel,tile_m,tile_n,layout", ",my_64x64,256,128,")).rows.at(0);
  EXPECT_EQ(named.kernel, "my_64x64") << "a name says more than sizes";
  EXPECT_FALSE(named.nhwc);
  EXPECT_FALSE(named.accumulate);
  EXPECT_THAT(table_error(conv_table(",layout", ",nhcw")), HasSubstr("unknown layout 'nhcw'; one of nchw, nhwc"));
}

TEST(LayerTable, IgnoredColumnsAreNotThere) {
  const LayerTable table = parsed_table("M,N,K,algorithm\n1,1,1,nonsense\n", {.ignore = {"algorithm"}});
  EXPECT_EQ(table.rows.at(0).algorithm, "");
  EXPECT_THAT(table.rows.at(0).cells, ElementsAre("1", "1", "1", "nonsense"));
}

TEST(LayerTable, ReadsMeasurementsOnRequest) {
  const std::string csv =
      "M,N,K,time_us,host_overhead_us,l1_bytes_measured,l2_bytes_measured,dram_bytes_measured,kernel_launches\n"
      "1,1,1,12.5,2,1e6,300,0,3\n1,1,1,,,,,,\n";
  const LayerTable table = parsed_table(csv, {.measurements = true});
  const Measured& measured = table.rows.at(0).measured;
  EXPECT_DOUBLE_EQ(measured.time.value().value(), 12.5e-6);
  EXPECT_DOUBLE_EQ(measured.host_overhead.value(), 2e-6);
  EXPECT_EQ(measured.l1, Bytes(1e6));
  EXPECT_EQ(measured.l2, Bytes(300));
  EXPECT_EQ(measured.dram, Bytes(0));
  EXPECT_EQ(measured.launches, 3);
  EXPECT_FALSE(table.rows.at(1).measured.time.has_value());
  EXPECT_FALSE(parsed_table(csv).rows.at(0).measured.time.has_value());

  EXPECT_DOUBLE_EQ(parsed_table("M,N,K,time_ms\n1,1,1,2\n", {.measurements = true}).rows[0].measured.time->value(),
                   2e-3);
  EXPECT_DOUBLE_EQ(parsed_table("M,N,K,time_s\n1,1,1,2\n", {.measurements = true}).rows[0].measured.time->value(), 2);
}

TEST(LayerTable, TimesThatAreNone) {
  for (const std::string time : {"0", "-1", "nan", "inf", "1e999", "1,5", "12us", "x"}) {
    const std::string csv = "M,N,K,time_us\n1,1,1,\"" + time + "\"\n";
    EXPECT_EQ(table_error(csv, {.measurements = true}),
              "t.csv:2, column time_us: '" + time + "' is not a positive number");
    EXPECT_EQ(table_error(csv), "no error") << "without a look at the measurements they are passed through";
  }
}

TEST(LayerTable, ATimeLargerThanAnyIsNamedAsSuch) {
  EXPECT_EQ(table_error("M,N,K,time_us\n1,1,1,1e300\n", {.measurements = true}),
            "t.csv:2, column time_us: '1e300' is larger than 1e+30");
}

TEST(LayerTable, LongCellsAreShortInMessages) {
  EXPECT_LT(table_error("M,N,K\n1," + std::string(1000000, 'x') + ",1\n").size(), 120u);
  EXPECT_EQ(table_error("M,N,K\n1,\"a\nb\",1\n"), "t.csv:2, column N: 'a?b' is not a whole number");
}

TEST(LayerTable, ReadsTheCommittedExample) {
  std::ifstream file("examples/layers.csv");
  ASSERT_TRUE(file.is_open());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(parsed_table(text).rows, SizeIs(6));
}

TEST(LayerTable, ReadsSequencesStreamsAndNetworks) {
  const auto attention =
      std::get<Attention>(parsed_table("op,phase,batch,q_len,kv_len,heads,kv_heads,head_dim,window,kv_precision\n"
                                       "attention,decode,4,1,100,8,2,64,0,fp8\n")
                              .rows.at(0)
                              .op);
  EXPECT_EQ(attention, (Attention{.batch = 4,
                                  .q_len = 1,
                                  .kv_len = 100,
                                  .heads = 8,
                                  .kv_heads = 2,
                                  .head_dim = 64,
                                  .window = 0,
                                  .causal = true,
                                  .kv_precision = DType::fp8}));
  const auto recurrent = std::get<Recurrent>(
      parsed_table("op,cell,batch,steps,input,hidden,layers,directions,input_projection\nrnn,GRU,2,3,4,5,6,2,0\n")
          .rows.at(0)
          .op);
  EXPECT_EQ(recurrent, (Recurrent{.cell = "gru",
                                  .batch = 2,
                                  .steps = 3,
                                  .input = 4,
                                  .hidden = 5,
                                  .layers = 6,
                                  .directions = 2,
                                  .input_projection = false}));
  EXPECT_EQ(std::get<StreamLayer>(parsed_table("op,kind,rows,columns\nstream,gelu,2,3\n").rows.at(0).op),
            (StreamLayer{StreamKind::gelu, 2, 3}));
  Parallelism replicas;
  replicas.dp = 8, replicas.micro_batch = 2;
  EXPECT_EQ(std::get<NetworkRun>(parsed_table("op,model,batch,seq_len,gpus\nnetwork,opt_13,16,64,8\n").rows.at(0).op),
            (NetworkRun{.model = "opt_13", .batch = 16, .seq_len = 64, .gpus = 8, .parallel = replicas}));
  EXPECT_EQ(std::get<NetworkRun>(parsed_table("op,model,batch,image_size\nnetwork,resnet50,2,288\n").rows.at(0).op),
            (NetworkRun{.model = "resnet50", .batch = 2, .seq_len = {}, .image_size = 288}));
}

TEST(LayerTable, AttentionOfTrainingHasAMaskAndSumsInOrder) {
  const std::string columns =
      "op,pass,batch,q_len,kv_len,heads,kv_heads,head_dim,head_dim_v,mask,deterministic,precision_detail\nattention,";
  const LayerTable table = parsed_table(columns + "bwd,1,8,8,2,2,192,128,none,True,mxfp8\n");
  EXPECT_EQ(std::get<Attention>(table.rows.at(0).op), (Attention{.q_len = 8,
                                                                 .kv_len = 8,
                                                                 .heads = 2,
                                                                 .kv_heads = 2,
                                                                 .head_dim = 192,
                                                                 .head_dim_v = 128,
                                                                 .deterministic = true,
                                                                 .block_scaled = true}));
  const Attention plain = std::get<Attention>(parsed_table(columns + "fwd,1,8,8,2,2,64,,causal,,bf16\n").rows.at(0).op);
  EXPECT_TRUE(plain.causal);
  EXPECT_FALSE(plain.deterministic || plain.block_scaled);
  EXPECT_EQ(plain.head_dim_v, 0);
  EXPECT_EQ(table_error(columns + "fwd,1,8,8,2,2,64,,some,,\n"),
            "t.csv:2, column mask: 'some' is neither causal nor none");
}

TEST(LayerTable, WhatDoesNotFitInThemIsSaid) {
  const std::string attention = "op,phase,batch,q_len,kv_len,heads,kv_heads,head_dim\nattention,";
  EXPECT_EQ(table_error(attention + "decode,1,2,2,1,1,64\n"), "t.csv:2, column q_len: decode has one query a sequence");
  EXPECT_EQ(table_error(attention + "train,1,2,2,1,1,64\n"),
            "t.csv:2, column phase: unknown phase 'train'; one of prefill, decode");
  EXPECT_EQ(table_error(attention + "prefill,1,2,2,3,2,64\n"), "t.csv:2: 3 heads cannot share 2 kv_heads alike");
  EXPECT_EQ(table_error("op,cell,batch,steps,input,hidden\nrnn,lsmt,1,1,1,1\n"),
            "t.csv:2: unknown cell 'lsmt'; one of lstm, gru, vanilla");
  EXPECT_THAT(table_error("op,kind,rows,columns\nstream,gelo,1,1\n"), HasSubstr("did you mean 'gelu'?"));
  EXPECT_EQ(table_error("op,model\nnetwork,\n"), "t.csv:2, column model: the cell is empty");
}

// Tables of real measurements, where a checkout has them beside it: each row is read, or says that it is of an op or
// pass that is not predicted yet.
TEST(LayerTable, ReadsPublishedMeasurements) {
  const std::filesystem::path folder = "../shared/measurements";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << folder << " is not there";
  std::size_t tables = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".csv" || name.starts_with("gpu_")) continue;  // gpu_*.csv have no ops
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto table = parse_layer_table(text, entry.path().string(), {.keep_unsupported = true, .measurements = true});
    ASSERT_TRUE(table.has_value()) << table.error().text();
    EXPECT_GT(table->rows.size() + table->unsupported.size(), 0u) << entry.path();
    for (const LayerRow& row : table->rows) {
      if (std::holds_alternative<NetworkRun>(row.op)) continue;  // some tell tokens a second
      EXPECT_TRUE(row.measured.time.has_value()) << entry.path() << ":" << row.line;
    }
    ++tables;
  }
  EXPECT_GT(tables, 0u);
}

}  // namespace
}  // namespace rooftile
