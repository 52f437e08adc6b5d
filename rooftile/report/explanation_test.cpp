#include "rooftile/report/explanation.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/test_json_schema.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/report.hpp"

namespace rooftile {
namespace {

using nlohmann::json;

template <class Kind>
Explanation explained(const Kind& op, const std::string& gpu, const PredictOptions& options) {
  const Gpu found = find_gpu(gpu).value();
  LayerEstimate layer = estimate(op, found, options);
  layer.name = "layer \"1\"";
  return explain_layer(layer, found, options);
}

// An op of a network that moves bytes or none.
Explanation explained_in_network(OpKind op, const std::string& gpu, const PredictOptions& options) {
  Workload workload;
  workload.tensors = {{"x", {8, 64, 32, 32}}, {"y", {8, 64, 32, 32}}};
  workload.ops = {{"layer", std::move(op), {0}, {1}}};
  const Gpu found = find_gpu(gpu).value();
  return explain_layer(estimate(workload, workload.ops.front(), found, options), found, options);
}

Conv conv() {
  Conv conv;
  conv.batch = 32;
  conv.in_channels = 128;
  conv.out_channels = 96;
  conv.axes[1] = conv.axes[2] = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return conv;
}

// One of each kind of report.
std::vector<Explanation> one_of_each() {
  Conv transposed = conv();
  transposed.transposed = true;
  transposed.axes[1].stride = transposed.axes[2].stride = 2;
  Attention attention;
  attention.batch = 2;
  attention.q_len = attention.kv_len = 256;
  attention.heads = attention.kv_heads = 4;
  attention.head_dim = 128;
  Recurrent recurrent;
  recurrent.batch = 8;
  recurrent.steps = 10;
  recurrent.input = recurrent.hidden = 256;
  const PredictOptions refined{.method = Method::rooftile};
  const PredictOptions half{.method = Method::rooftile, .precision = DType::fp16};
  const PredictOptions gradient{.method = Method::rooftile, .pass = Pass::bwd_weight};
  return {explained(conv(), "titan-xp", {.method = Method::delta}),
          explained(conv(), "titan-xp", {.method = Method::prior}),
          explained(conv(), "titan-xp", {.method = Method::roofline}),
          explained(conv(), "titan-xp", refined),
          explained(conv(), "titan-xp", gradient),
          explained(transposed, "titan-xp", refined),
          explained(transposed, "titan-xp", {.method = Method::delta}),
          explained(Gemm{.m = 512, .n = 512, .k = 512}, "v100-sxm2-16gb", half),
          explained(attention, "h100-sxm5-80gb", half),
          explained(recurrent, "v100-sxm2-16gb", refined),
          explained_in_network(Elementwise{"relu", 1}, "t4", refined),
          explained_in_network(Elementwise{"relu", 1}, "t4", {.method = Method::delta}),
          explained_in_network(View{"flatten"}, "t4", refined)};
}

const json& row_of(const json& explanation, const std::string& symbol) {
  static const json kNone;
  for (const json& section : explanation["sections"]) {
    for (const json& row : section["rows"]) {
      if (row.value("symbol", "") == symbol) return row;
    }
  }
  return kNone;
}

TEST(Explanation, JsonFitsItsSchema) {
  const std::vector<Explanation> all = one_of_each();
  for (const Explanation& one : all) {
    EXPECT_TRUE(fits_schema(json::parse(explanation_json({&one, 1})), "explanation-1.json")) << explanation_text(one);
  }
  const json together = json::parse(explanation_json(all));
  EXPECT_EQ(together.size(), all.size());
  EXPECT_TRUE(fits_schema(together, "explanation-1.json"));
}

TEST(Explanation, JsonHasNumbersInBaseUnits) {
  const Explanation explanation = explained(conv(), "titan-xp-delta", {.method = Method::delta});
  const json report = json::parse(explanation_json({&explanation, 1}));
  EXPECT_EQ(report["gpu"], "titan-xp-delta");
  EXPECT_EQ(report["time_s"], explanation.time.value());
  EXPECT_EQ(report["bottleneck"], name_of(explanation.bottleneck));

  const json& store = row_of(report, "store")["quantity"];  // 32 x 28 x 28 positions x 96 channels x 4 B
  EXPECT_EQ(store["value"], 9633792);
  EXPECT_EQ(store["unit"], "B");
  EXPECT_EQ(store["text"], "9,633,792 B");
  const json& bandwidth = row_of(report, "DRAM")["quantity"];  // 450 GB/s over 30 SMs
  EXPECT_DOUBLE_EQ(bandwidth["value"].get<double>(), 15e9);
  EXPECT_EQ(bandwidth["unit"], "B/s");
  const json& tile = row_of(report, "tile")["quantity"];
  EXPECT_TRUE(tile["value"].is_null());
  EXPECT_EQ(tile["text"], "128x32x4");

  const json& limit = row_of(report, std::string(name_of(explanation.bottleneck)));
  EXPECT_TRUE(limit["marked"].get<bool>());
  EXPECT_EQ(limit["quantity"]["value"], report["time_s"]);
}

// A constant in microseconds is a number of seconds, and one without a unit is as it is.
TEST(Explanation, JsonHasConstantsInBaseUnits) {
  const Explanation explanation = explained(conv(), "titan-xp", {.method = Method::rooftile});
  const json report = json::parse(explanation_json({&explanation, 1}));
  const json& energy = row_of(report, "mac_energy");
  ASSERT_FALSE(energy.is_null());
  EXPECT_EQ(energy["quantity"]["unit"], "J");
  EXPECT_EQ(energy["shown_in"], "pJ");
  EXPECT_NEAR(energy["quantity"]["value"].get<double>() * 1e12,
              std::stod(energy["quantity"]["text"].get<std::string>()), 1e-3);
  EXPECT_LT(std::abs(energy["effect"]["value"].get<double>()), 0.01);
}

TEST(Explanation, FactsAreNumbersToo) {
  const auto cell = [](const std::string& text) {
    Fact fact;
    fact.text = text;
    return cell_of(fact);
  };
  EXPECT_DOUBLE_EQ(cell("1.58 GHz").value.value(), 1.58e9);
  EXPECT_EQ(cell("1.58 GHz").unit, "Hz");
  EXPECT_EQ(cell("216 cycles").value, 216);
  EXPECT_EQ(cell("216 cycles").unit, "cycles");
  EXPECT_EQ(cell("3 MiB").value, 3 << 20);
  EXPECT_EQ(cell("64").value, 64);
  EXPECT_EQ(cell("64").unit, "");
  EXPECT_FALSE(cell("a name").value);
}

TEST(Explanation, CsvHasARowForEachNumber) {
  const std::vector<Explanation> all = one_of_each();
  const auto rows = parse_csv(explanation_csv(all), "x.csv").value();
  std::size_t numbers = 0;
  for (const CsvRow& row : rows) {
    ASSERT_EQ(row.cells.size(), rows.front().cells.size());
    numbers += row.cells[5] == "tile" || row.cells[5].ends_with(": time") ? 1 : 0;
  }
  EXPECT_GT(numbers, 10U);
  const auto one = parse_csv(explanation_csv({all.data(), 1}), "x.csv").value();
  ASSERT_GT(one.size(), 50U);
  EXPECT_EQ(one[3].cells[5], "time");
  EXPECT_EQ(one[3].cells[6], fmt::format("{}", all[0].time.value()));
  EXPECT_EQ(one[3].cells[7], "s");
}

TEST(Explanation, TextIsTheReport) {
  const Gpu gpu = find_gpu("titan-xp").value();
  const PredictOptions options{.method = Method::delta};
  const LayerEstimate layer = estimate(conv(), gpu, options);
  EXPECT_EQ(explanation_text(explain_layer(layer, gpu, options)), explain_report(layer, gpu, options));
}

}  // namespace
}  // namespace rooftile
