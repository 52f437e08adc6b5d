#include "rooftile/evaluation/evaluation.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "rooftile/evaluation/methods.hpp"
#include "rooftile/explore/scaling.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kBatch = 2;

// Four layers stand for all, so that sanitized tests are quick.
EvaluationInput small_input(const std::vector<std::string>& ids = {"titan-xp-delta"}) {
  std::vector<Gpu> gpus;
  for (const std::string& id : ids) gpus.push_back(find_gpu(id).value());
  EvaluationInput input = evaluation_input(std::move(gpus), kBatch).value();
  const std::set<std::string> kept = {"conv2", "conv2/3x3_reduce", "3a/3x3", "conv5_1/1x1a"};
  std::erase_if(input.layers, [&](const EvaluatedLayer& layer) { return !kept.contains(layer.name); });
  EXPECT_EQ(input.layers.size(), kept.size());
  return input;
}

// The figure of that name, with what it needs simulated.
Figure made(const EvaluationInput& input, const std::string& name) {
  const FigureMaker& maker = *choose_figures({name}).value().front();
  Simulations simulations{SimulateOptions()};
  if (maker.want != nullptr) maker.want(input, simulations);
  for (std::size_t i = 0; i < simulations.count(); ++i) EXPECT_TRUE(simulations.run(i));
  return maker.make(input, simulations);
}

std::size_t place_of(const FigureTable& table, const std::string& column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  EXPECT_NE(found, table.columns.end()) << column;
  return static_cast<std::size_t>(found - table.columns.begin());
}

// The cell of `column` in the only row in which all of `keys` stand.
std::string cell_of(const FigureTable& table, const std::vector<std::string>& keys, const std::string& column) {
  std::vector<std::string> found;
  for (const auto& row : table.rows) {
    const bool all = std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
      return std::find(row.begin(), row.end(), key) != row.end();
    });
    if (all) found.push_back(row[place_of(table, column)]);
  }
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? "" : found.front();
}

void expect_rectangular(const Figure& figure) {
  for (const FigureTable& table : figure.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.file;
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.file;
  }
}

TEST(Layers, TheFourNetworksHave83UniqueConvolutionsInOrder) {
  const auto layers = unique_convolutions(kBatch);
  EXPECT_EQ(layers.size(), 83U);
  EXPECT_EQ(layers.front().network, "alexnet");
  EXPECT_EQ(layers.back().network, "resnet152");
}

TEST(Figures, EveryOneIsMadeWithWholeRowsAndFilesOfItsOwn) {
  const EvaluationInput input = small_input({"titan-xp-delta", "v100-delta"});
  std::set<std::string> files;
  for (const FigureMaker& maker : figure_makers()) {
    const Figure figure = made(input, std::string(maker.name));
    expect_rectangular(figure);
    for (const FigureTable& table : figure.tables) EXPECT_TRUE(files.insert(table.file + ".csv").second) << table.file;
    for (const Plot& plot : figure.plots) {
      EXPECT_TRUE(files.insert(plot.file + ".svg").second) << plot.file;
      EXPECT_FALSE(plot.caption.empty()) << plot.file;
      for (const PlotSeries& series : plot.series) EXPECT_FALSE(series.points.empty()) << plot.file;
    }
  }
}

// conv2/3x3_reduce of GoogLeNet: 2 x 64 x 56 x 56 inputs and 64 x 64 filters of 4 bytes, each needed and, in a cold
// cache that holds them all, loaded once. DeLTA's Eq 10 says the same of one column of CTAs.
TEST(TrafficFigures, AOneByOneLayerLoadsEachElementOnce) {
  const Figure figure = made(small_input(), "fig11");
  const FigureTable& rows = figure.tables.back();
  const std::vector<std::string> keys = {"googlenet", "conv2/3x3_reduce", "dram"};
  const std::string by_hand = std::to_string(4 * (2 * 64 * 56 * 56 + 64 * 64));
  EXPECT_EQ(cell_of(rows, keys, "simulated_bytes"), by_hand);
  EXPECT_EQ(cell_of(rows, keys, "delta_bytes"), by_hand);
  EXPECT_EQ(cell_of(rows, keys, "delta_over_simulated"), "1");
  EXPECT_EQ(cell_of(rows, keys, "replayed_share"), "1");
}

TEST(MissRates, AreRatiosOfTheTrafficOfNeighbouringLevels) {
  const EvaluationInput input = small_input();
  const FigureTable miss = made(input, "fig4").tables.front();
  const FigureTable traffic = made(input, "fig11").tables.back();
  EXPECT_EQ(miss.rows.size(), 2U);
  const auto bytes = [&](const std::string& level) {
    return std::stod(cell_of(traffic, {"googlenet", "3a/3x3", level}, "simulated_bytes"));
  };
  EXPECT_NEAR(std::stod(cell_of(miss, {"3a/3x3"}, "l1_simulated")), bytes("l2") / bytes("l1"), 1e-5);
  EXPECT_NEAR(std::stod(cell_of(miss, {"3a/3x3"}, "l2_simulated")), bytes("dram") / bytes("l2"), 1e-5);
}

// Eq 10 for one column of CTAs (up to 128 filters), padded maps: 4 (B x Ci x 15 x 15 + Ci x 9 x 128) bytes.
TEST(Sensitivity, DramOfDeltaFollowsEquation10) {
  const FigureTable rows = made(small_input(), "fig17").tables.back();
  for (const int channels : {16, 256, 512}) {
    EXPECT_EQ(cell_of(rows, {"channels", std::to_string(channels), "dram"}, "delta_bytes"),
              std::to_string(4 * channels * (2 * 15 * 15 + 9 * 128)));
  }
}

TEST(Sensitivity, BatchesGoFromASixteenthToTwiceTheBatch) {
  const FigureTable rows = made(small_input(), "fig17").tables.back();
  std::set<std::string> batches;
  for (const auto& row : rows.rows) {
    if (row[place_of(rows, "parameter")] == "batch") batches.insert(row[place_of(rows, "value")]);
  }
  EXPECT_EQ(batches, (std::set<std::string>{"1", "2", "4"}));
}

TEST(PriorFigures, EverythingAskedOfTheL1ComesFromDram) {
  const EvaluationInput input = small_input();
  const FigureTable prior = made(input, "fig12").tables.front();
  const FigureTable traffic = made(input, "fig11").tables.back();
  const std::string l1 = cell_of(traffic, {"alexnet", "conv2", "l1"}, "delta_bytes");
  EXPECT_EQ(cell_of(prior, {"alexnet", "conv2", "l2"}, "prior_bytes"), l1);
  EXPECT_EQ(cell_of(prior, {"alexnet", "conv2", "dram"}, "prior_bytes"), l1);
}

// arXiv:1904.01691, section VII: "4.2% (7.2%) for Titan XP", and only "(7.9% standard deviation)" for its L1.
TEST(Published, StandsBesideOurs) {
  const EvaluationInput input = small_input();
  const Figure figure = made(input, "fig11");
  const FigureTable& scores = figure.tables.front();
  EXPECT_EQ(cell_of(scores, {"l2", "delta"}, "published_gmae"), "0.042");
  EXPECT_EQ(cell_of(scores, {"l2", "delta"}, "published_std"), "0.072");
  EXPECT_EQ(cell_of(scores, {"l2", "refined"}, "published_gmae"), "");
  EXPECT_EQ(cell_of(scores, {"l1", "delta"}, "published_gmae"), "");
  EXPECT_EQ(cell_of(scores, {"l1", "delta"}, "published_std"), "0.079");
  const auto l2 = std::find_if(figure.plots.begin(), figure.plots.end(),
                               [](const Plot& plot) { return plot.file == "fig11-l2-delta"; });
  ASSERT_NE(l2, figure.plots.end());
  EXPECT_NE(l2->series.front().name.find("(published: GMAE 4.2 %, std 7.2 %)"), std::string::npos);
  EXPECT_EQ(cell_of(made(input, "fig13").tables.front(), {"delta"}, "published_compute_share"), "0.9");
  EXPECT_NE(made(input, "fig20").plots.front().caption.find("Published of DeLTA"), std::string::npos);
  EXPECT_EQ(made(small_input({"t4"}), "fig20").plots.front().caption.find("Published"), std::string::npos);
}

TEST(LayerPlots, NameTheirLayers) {
  const EvaluationInput input = small_input();
  for (const char* name : {"fig11", "fig13", "fig20", "fig12", "fig4"}) {
    const Plot plot = made(input, name).plots.front();
    EXPECT_TRUE(plot.x.upright) << name;
    EXPECT_EQ(plot.x.ticks.size(), plot.places.size()) << name;
    EXPECT_EQ(plot.x.ticks.back().second, name == std::string("fig4") ? "3a/3x3" : "conv5_1/1x1a") << name;
  }
  EXPECT_EQ(made(input, "fig13").plots.front().places.at(1), "alexnet conv2");
}

TEST(TimeFigures, SummariesCountEachLayerOnce) {
  const FigureTable summary = made(small_input(), "fig13").tables.front();
  for (const auto& row : summary.rows) {
    int layers = 0;
    const std::size_t first = place_of(summary, "limited_by_compute");
    for (std::size_t i = first; i < first + kBottlenecks; ++i) layers += std::stoi(row[i]);
    EXPECT_EQ(layers, 4);
  }
}

TEST(Scaling, MultipliesWhatTheOptionNamesAndNothingElse) {
  const Gpu gpu = find_gpu("titan-xp-delta").value();
  const Gpu twice = with_design(gpu, design_of(kScalingOptions[0], gpu));  // SMs 2, L2 and DRAM 1.5
  EXPECT_EQ(twice.sm_count, 2 * gpu.sm_count);
  EXPECT_EQ(twice.peak(Peak::fp32), gpu.peak(Peak::fp32) * 2);
  EXPECT_EQ(twice.level("L1").bandwidth, gpu.level("L1").bandwidth);
  EXPECT_EQ(twice.level("L2").bandwidth, gpu.level("L2").bandwidth * 1.5);
  EXPECT_EQ(twice.level("DRAM").bandwidth, gpu.level("DRAM").bandwidth * 1.5);
  EXPECT_EQ(twice.sm.registers, gpu.sm.registers);
}

TEST(Choice, TakesAliasesAndKeepsTheOrder) {
  const auto chosen = choose_figures({"fig4", "fig19", "fig14", "table1"}).value();
  std::vector<std::string_view> names;
  for (const FigureMaker* maker : chosen) names.push_back(maker->name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"table1", "fig13", "fig4"}));
  EXPECT_EQ(choose_figures({}).value().size(), figure_makers().size());
}

TEST(Choice, NamesTheNearestOrAll) {
  EXPECT_EQ(choose_figures({"fgi4"}).error().message, "no table or figure 'fgi4'; did you mean 'fig4'?");
  EXPECT_NE(choose_figures({"nonsense"}).error().message.find("one of table1, "), std::string::npos);
}

TEST(Input, RefusesAGpuTwiceAndLayersThatAreTooLarge) {
  const Gpu gpu = find_gpu("titan-xp-delta").value();
  EXPECT_FALSE(evaluation_input({gpu, gpu}, 1));
  EXPECT_FALSE(evaluation_input({gpu}, 0));
  EXPECT_FALSE(evaluation_input({gpu}, std::int64_t{1} << 40));
  EXPECT_FALSE(evaluation_input({gpu}, kMaxDimension));
  EXPECT_TRUE(evaluation_input({gpu}, 1));
}

}  // namespace
}  // namespace rooftile
