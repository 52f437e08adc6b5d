#include "rooftile/report/report.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// A convolution, a ReLU and a reshape, with names that need quoting.
Workload small() {
  Workload workload;
  workload.name = "small";
  workload.batch_size = 8;
  workload.tensors = {{"x", {8, 3, 32, 32}},
                      {"w", {64, 3, 3, 3}, DType::fp32, true},
                      {"y", {8, 64, 32, 32}},
                      {"z", {8, 64, 32, 32}},
                      {"flat", {8, 65536}}};
  Conv conv;
  conv.batch = 8;
  conv.in_channels = 3;
  conv.out_channels = 64;
  conv.axes[1] = conv.axes[2] = {.in = 32, .filter = 3, .pad_begin = 1, .pad_end = 1};
  workload.ops = {{"conv \"1\", first", conv, {0, 1}, {2}},
                  {"relu", Elementwise{"relu", 1}, {2}, {3}},
                  {"flatten", View{"flatten"}, {3}, {4}}};
  workload.inputs = {0};
  workload.outputs = {4};
  return workload;
}

Prediction prediction_on(const std::string& gpu) {
  return predict(small(), find_gpu(gpu).value(), {.method = Method::delta}).value();
}

TEST(TableReport, SaysWhatTheBatchConsistsOf) {
  Prediction prediction = prediction_on("titan-xp-delta");
  EXPECT_THAT(table_report(prediction), HasSubstr("\n  batch       8 x 3x32x32\n"));
  prediction.sample = {.shape = {2048}, .tokens = 2048};
  EXPECT_THAT(table_report(prediction), HasSubstr("\n  batch       8 x 2,048 tokens\n"));
  EXPECT_THAT(table_report(prediction), HasSubstr(" tokens/s\n"));
  prediction.sample = {.shape = {1}, .tokens = 1, .cached = 256};
  EXPECT_THAT(table_report(prediction), HasSubstr("\n  batch       8 x 1 token after 256\n"));
  prediction.sample = {};
  EXPECT_THAT(table_report(prediction), Not(HasSubstr("  batch ")));
}

TEST(JsonReport, HoldsThePrediction) {
  const Prediction prediction = prediction_on("titan-xp-delta");
  const json report = json::parse(json_report(std::vector{prediction}));
  EXPECT_EQ(report["schema"], "rooftile/prediction/1");
  EXPECT_EQ(report["gpu"], "titan-xp-delta");
  EXPECT_EQ(report["batch_size"], 8);
  EXPECT_EQ(report["sample"], json::parse(R"({"shape": [3, 32, 32]})"));
  EXPECT_EQ(report["time_s"].get<double>(), prediction.time.value());
  EXPECT_DOUBLE_EQ(report["throughput_per_s"].get<double>(), 8 / prediction.time.value());
  EXPECT_EQ(report["memory_bytes"]["weights"], 14 * 512) << "64 x 3 x 9 floats in whole blocks";
  ASSERT_EQ(report["layers"].size(), 3U);

  const json& conv = report["layers"][0];
  EXPECT_EQ(conv["method"], "delta");
  EXPECT_EQ(conv["gemm"], (json{{"m", 8 * 32 * 32}, {"n", 64}, {"k", 27}, {"groups", 1}}));
  EXPECT_EQ(conv["plan"]["tile"], (json{128, 64, 4}));
  EXPECT_EQ(conv["traffic_bytes"]["store_dram"], 8 * 64 * 32 * 32 * 4);
  EXPECT_EQ(conv["cases_s"].size(), 6U);
  EXPECT_FALSE(conv.contains("time_low_s"));  // DeLTA has no interval

  EXPECT_EQ(report["layers"][1]["method"], "stream");
  EXPECT_FALSE(report["layers"][1].contains("plan"));
  EXPECT_TRUE(report["layers"][1]["cases_s"].contains("launch"));
  EXPECT_EQ(report["layers"][2]["method"], "none");
  EXPECT_EQ(report["layers"][2]["time_s"], 0);
}

TEST(JsonReport, SeveralPredictionsAreAnArray) {
  const std::vector predictions = {prediction_on("titan-xp-delta"), prediction_on("v100-delta")};
  const json report = json::parse(json_report(predictions));
  ASSERT_TRUE(report.is_array());
  EXPECT_EQ(report[1]["gpu"], "v100-delta");
}

TEST(JsonReport, AWorkloadWithoutTimeHasNoThroughput) {
  Workload workload = small();
  workload.ops = {{"flatten", View{"flatten"}, {0}, {4}}};
  workload.tensors[4].shape = {8, 3072};
  const Prediction prediction = predict(workload, find_gpu("t4").value()).value();
  EXPECT_TRUE(json::parse(json_report(std::vector{prediction}))["throughput_per_s"].is_null());
  EXPECT_THAT(table_report(prediction), Not(HasSubstr("inf ")));
  EXPECT_THAT(table_report(prediction), Not(HasSubstr("nan")));
}

TEST(TableReport, NamesTheDefaultOfPyTorchWhereTheGpuHasTf32) {
  const auto report = [](const std::string& id) {
    const Gpu gpu = find_gpu(id).value();
    return table_report(predict(small(), gpu).value(), {.gpu = &gpu});
  };
  EXPECT_THAT(report("rtx-3090"), HasSubstr("PyTorch's default here is TF32"));
  EXPECT_THAT(report("titan-xp"), Not(HasSubstr("TF32")));
}

TEST(TableReport, NamesTheLargestBatchThatFits) {
  Gpu gpu = find_gpu("t4").value();
  for (MemoryLevel& level : gpu.levels) {
    if (level.name == "DRAM") level.capacity = Bytes(1);
  }
  const Prediction prediction = predict(small(), gpu).value();
  const auto report = [&](std::optional<std::int64_t> batch) {
    return table_report(prediction, {.gpu = &gpu, .fitting_batch = batch});
  };
  EXPECT_THAT(report(12), HasSubstr(" GiB, batch 12 does\n"));
  EXPECT_THAT(report(0), HasSubstr(" GiB, nor does one sample\n"));
  EXPECT_THAT(report({}), HasSubstr(" GiB\n"));
}

TEST(JsonReport, NamesThatAreNotUtf8DoNotBreakIt) {
  Workload workload = small();
  workload.ops[0].name = "conv\xff";
  const Prediction prediction = predict(workload, find_gpu("t4").value()).value();
  EXPECT_EQ(json::parse(json_report(std::vector{prediction}))["layers"].size(), 3U);
}

TEST(CsvReport, ARowALayerThatReadsBack) {
  const Prediction prediction = prediction_on("titan-xp-delta");
  const auto rows = parse_csv(csv_report(std::vector{prediction}), "test").value();
  ASSERT_EQ(rows.size(), 4U);
  const json report = json::parse(json_report(std::vector{prediction}));
  for (const CsvRow& row : rows) EXPECT_EQ(row.cells.size(), rows[0].cells.size());
  const auto cell = [&](std::size_t row, const std::string& column) {
    const auto& header = rows[0].cells;
    const auto at = std::find(header.begin(), header.end(), column) - header.begin();
    return rows[row].cells.at(static_cast<std::size_t>(at));
  };
  EXPECT_EQ(cell(1, "name"), "conv \"1\", first");
  EXPECT_EQ(cell(1, "plan.tile"), "128x64x4");
  EXPECT_EQ(cell(1, "output"), "8x64x32x32");
  EXPECT_EQ(std::stod(cell(1, "time_s")), report["layers"][0]["time_s"].get<double>());
  EXPECT_EQ(cell(2, "plan.tile"), "");
  EXPECT_EQ(cell(3, "bottleneck"), "");
}

TEST(TableReport, ShowsTotalsAndLayers) {
  const std::string text = table_report(prediction_on("titan-xp-delta"));
  EXPECT_THAT(text, HasSubstr("small on titan-xp-delta: batch size 8, fp32, inference, eager, method delta\n"));
  EXPECT_THAT(text, HasSubstr("samples/s"));
  EXPECT_THAT(text, HasSubstr("conv \"1\", first"));
  EXPECT_THAT(text, HasSubstr("not modelled"));
  EXPECT_THAT(text, Not(HasSubstr("left out")));
}

TEST(TableReport, SaysWhyArithmeticIsAboveThePeak) {
  const auto table = [](const char* model, const char* gpu) {
    const Workload workload = load_model(model, {.batch_size = 64}).value();
    return table_report(predict(workload, find_gpu(gpu).value()).value());
  };
  constexpr const char* kWhy = "FLOPs of direct convolution; Winograd and FFT (";
  EXPECT_THAT(table("vgg16", "v100-sxm2-16gb"), HasSubstr(kWhy));  // 155 %
  EXPECT_THAT(table("resnet50", "t4"), Not(HasSubstr(kWhy)));      // below 100 %
}

TEST(TableReport, SaysWhatWasLeftOut) {
  Workload workload = small();
  workload.skipped = {{"lstm1", "LSTM"}, {"lstm2", "LSTM"}, {"nz", "NonZero"}};
  const Prediction prediction = predict(workload, find_gpu("t4").value()).value();
  EXPECT_THAT(table_report(prediction), HasSubstr("3 of 6 operators, not counted above: LSTM (2), NonZero (1)"));
  EXPECT_EQ(json::parse(json_report(std::vector{prediction}))["unsupported"][2]["op_type"], "NonZero");
  EXPECT_THAT(support_report(prediction), HasSubstr("LSTM 'lstm2' is not supported"));
}

TEST(DiffReport, LargestChangeFirst) {
  const std::string a = json_report(std::vector{prediction_on("titan-xp-delta")});
  const std::string b = json_report(std::vector{prediction_on("v100-delta")});
  const std::string text = diff_report(a, "a.json", b, "b.json").value();
  EXPECT_THAT(text, HasSubstr("titan-xp-delta"));
  EXPECT_LT(text.find("relu"), text.find("conv \"1\", first"));  // the launch overheads differ most
  EXPECT_THAT(text, HasSubstr("1 layer is the same"));           // the reshape
}

TEST(DiffReport, LayersInOnlyOne) {
  const std::string a = json_report(std::vector{prediction_on("t4")});
  json other = json::parse(a);
  other["layers"][1]["name"] = "gelu";
  const std::string text = diff_report(a, "a.json", other.dump(), "b.json").value();
  EXPECT_THAT(text, HasSubstr("only in one"));
  EXPECT_THAT(text, HasSubstr("gelu"));
}

TEST(DiffReport, BadFilesGetOneLine) {
  const std::string good = json_report(std::vector{prediction_on("t4")});
  const auto error_of = [&](const std::string& bad) {
    const auto result = diff_report(good, "good.json", bad, "bad.json");
    return result ? "no error" : result.error().text();
  };
  for (const std::string bad :
       {"", "{", "[]", "{}", "7", "{\"schema\": 7}", "{\"schema\": \"rooftile/prediction/1\"}"}) {
    EXPECT_THAT(error_of(bad), testing::StartsWith("bad.json: ")) << bad;
    EXPECT_EQ(error_of(bad).find('\n'), std::string::npos) << bad;
  }
  json broken = json::parse(good);
  broken["layers"][0]["time_s"] = -1;
  EXPECT_THAT(error_of(broken.dump()), HasSubstr("is not a time"));
  broken = json::parse(good);
  broken["batch_size"] = 1e300;
  EXPECT_THAT(error_of(broken.dump()), HasSubstr("'batch_size' is not a whole number"));
  broken = json::parse(good);
  broken["layers"][1]["name"] = broken["layers"][0]["name"];
  EXPECT_THAT(error_of(broken.dump()), HasSubstr("two layers are called"));
}

TEST(ExplainReport, EveryEquationAndSource) {
  const Prediction prediction = prediction_on("titan-xp-delta");
  const std::string text = explain_report(prediction.layers[0], find_gpu("titan-xp-delta").value());
  for (const char* part : {"Eq 2 ", "Eq 3 ", "Eq 4 ", "Eq 5 ", "Eq 6 ", "Eq 7 ", "Eq 8 ", "Eq 9 ", "Eq 10", "Eq 11",
                           "Eq 12", "Eq 13", "Eq 14", "Eq 15", "Eq 16", "Eq 17", "Eq 18", "Fig 6", "Table I"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ExplainReport, StreamingAndFreeLayers) {
  const Prediction prediction = prediction_on("t4");
  const Gpu gpu = find_gpu("t4").value();
  EXPECT_THAT(explain_report(prediction.layers[1], gpu), HasSubstr("launch"));
  EXPECT_THAT(explain_report(prediction.layers[2], gpu), HasSubstr("costs nothing"));
}

TEST(GpuReport, EveryFactWithItsSource) {
  const Gpu gpu = find_gpu("t4").value();
  const std::string text = gpu_table(gpu);
  for (const Fact& fact : gpu.facts) EXPECT_THAT(text, HasSubstr(fact.key));
  EXPECT_EQ(json::parse(gpus_json(std::vector{gpu}))[0]["facts"].size(), gpu.facts.size());
  EXPECT_THAT(gpus_table(std::vector{gpu}), HasSubstr("t4"));
}

// Attention and recurrent layers have no product and no plan of their own; the queue to the host, where it counts,
// names the host that was assumed.
TEST(JsonReport, FitsItsSchemaWhateverTheLayers) {
  const Gpu gpu = find_gpu("rtx-4090").value();
  for (const char* name : {"bert_base", "mobilenet_v2", "gnmt"}) {
    const Workload workload = load_model(name, {}).value();
    for (const Method method : {Method::rooftile, Method::roofline}) {
      const Prediction prediction = predict(workload, gpu, {.method = method}).value();
      const json report = json::parse(json_report(std::vector{prediction}));
      EXPECT_TRUE(fits_schema(report, "prediction-1.json")) << name;
      const bool assumed = report.contains("host") && report["host"].contains("assumed");
      EXPECT_EQ(assumed, method == Method::rooftile) << name;
    }
  }
}

}  // namespace
}  // namespace rooftile
