// Table 16a and Fig 16b: the study of explore/scaling.hpp over all convolutions of ResNet-152, by two methods.
#include "rooftile/explore/scaling.hpp"

#include <array>

#include <fmt/format.h>

#include "rooftile/evaluation/layer_axis.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"
#include "rooftile/zoo/zoo.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kNetwork = "resnet152";
constexpr std::array kScaledMethods = {Method::delta, Method::rooftile};

WeightedWorkload convolutions_of_network(std::int64_t batch) {
  for (const ZooEntry& entry : delta_networks()) {
    if (entry.name == kNetwork) return {.workload = entry.build(batch), .weight = 1, .convolutions_only = true};
  }
  return {};
}

std::vector<std::string> row_of(const EvaluationInput& input, const Gpu& gpu, const ScalingRow& row, Method method) {
  const ScalingOption& option = row.option;
  std::vector<std::string> cells = {gpu.id, fmt::format("{}", input.batch), std::string(option.name),
                                    std::string(name_of(method))};
  for (const double factor : {option.sm_count, option.mac_per_sm, option.registers, option.smem, option.smem_bandwidth,
                              option.l1_bandwidth, option.l2_bandwidth, option.dram_bandwidth, option.cta_tile}) {
    cells.push_back(cell(factor));
  }
  cells.push_back(cell(row.time));
  cells.push_back(cell(row.speedup));
  for (const double count : row.layers) cells.push_back(cell(count));
  for (const double share : row.shares) cells.push_back(cell(share / row.time));
  return cells;
}

std::vector<std::string> columns() {
  std::vector<std::string> names = {"gpu",           "batch",          "option",   "method",         "sms",
                                    "macs_of_an_sm", "registers",      "smem",     "smem_bandwidth", "l1_bandwidth",
                                    "l2_bandwidth",  "dram_bandwidth", "cta_tile", "total_s",        "speedup"};
  for (const char* what : {"limited_by_{}", "share_of_{}"}) {
    for (std::size_t i = 0; i < kBottlenecks; ++i) {
      names.push_back(fmt::format(fmt::runtime(what), name_of(static_cast<Bottleneck>(i))));
    }
  }
  return names;
}

Plot empty_plot(const EvaluationInput& input, const Gpu& gpu) {
  Plot plot;
  plot.file = "fig16";
  plot.what = fmt::format("Fig 16: speedup of the options of Table 16a over {}, ResNet-152", gpu.id);
  plot.caption =
      batch_note(input.batch) + " All 155 convolutions. Options 7 to 9 have a tile that delta alone is asked for.";
  plot.x = {.title = "Option", .range = std::pair(-0.5, static_cast<double>(kScalingOptions.size()) + 0.5)};
  plot.x.ticks.emplace_back(0, "as it is");
  for (std::size_t i = 0; i < kScalingOptions.size(); ++i) {
    plot.x.ticks.emplace_back(static_cast<double>(i + 1), std::string(kScalingOptions[i].name));
  }
  plot.y.title = "Speedup";
  constexpr double kWidth = 560;
  plot.width = kWidth;
  return plot;
}

}  // namespace

Figure make_scaling(const EvaluationInput& input, const Simulations& /*simulations*/) {
  const Gpu& gpu = input.gpus.front();
  const WeightedWorkload workload = convolutions_of_network(input.batch);
  FigureTable table;
  table.file = "table16";
  table.what = fmt::format("speedup of options 1 to 9 over {}, all convolutions of ResNet-152", gpu.id);
  table.columns = columns();
  Plot plot = empty_plot(input, gpu);
  for (std::size_t i = 0; i < kScaledMethods.size(); ++i) {
    PlotSeries series = {.name = std::string(name_of(kScaledMethods[i])), .colour = i};
    const auto rows = scaling_study(gpu, workload, evaluated(kScaledMethods[i]));
    for (std::size_t option = 0; rows && option < rows->size(); ++option) {  // evaluation_input() checked the methods
      const ScalingRow& row = (*rows)[option];
      if (row.unfit != Unfit::none) continue;
      table.rows.push_back(row_of(input, gpu, row, kScaledMethods[i]));
      series.points.emplace_back(static_cast<double>(option), row.speedup);
    }
    plot.series.push_back(std::move(series));
  }
  Figure figure;
  figure.tables.push_back(std::move(table));
  figure.plots.push_back(std::move(plot));
  return figure;
}

}  // namespace rooftile
