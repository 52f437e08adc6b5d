#include "rooftile/evaluation/scaling.hpp"

#include <array>

#include <fmt/format.h>

#include "rooftile/evaluation/layer_axis.hpp"
#include "rooftile/evaluation/makers.hpp"
#include "rooftile/evaluation/methods.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kNetwork = "resnet152";
constexpr std::array kMethods = {Method::delta, Method::rooftile};

struct Outcome {
  Seconds time;
  std::array<std::size_t, kBottlenecks> layers{};
};

Outcome outcome(const Gpu& gpu, const std::vector<EvaluatedLayer>& layers, Method method) {
  Outcome result;
  for (const EvaluatedLayer& layer : layers) {
    const LayerEstimate estimated = estimate(layer.conv, gpu, evaluated(method));
    result.time += estimated.time;
    ++result.layers.at(static_cast<std::size_t>(estimated.bottleneck));
  }
  return result;
}

std::vector<std::string> row_of(const EvaluationInput& input, const Gpu& gpu, const ScalingOption& option,
                                Method method, const Outcome& result, double speedup) {
  std::vector<std::string> row = {gpu.id, fmt::format("{}", input.batch), std::string(option.name),
                                  std::string(name_of(method))};
  for (const double factor : {option.sm_count, option.mac_per_sm, option.registers, option.smem, option.smem_bandwidth,
                              option.l1_bandwidth, option.l2_bandwidth, option.dram_bandwidth}) {
    row.push_back(cell(factor));
  }
  row.push_back(cell(result.time.value()));
  row.push_back(cell(speedup));
  for (const std::size_t count : result.layers) row.push_back(fmt::format("{}", count));
  return row;
}

std::vector<std::string> columns() {
  std::vector<std::string> names = {"gpu",           "batch",          "option",  "method",         "sms",
                                    "macs_of_an_sm", "registers",      "smem",    "smem_bandwidth", "l1_bandwidth",
                                    "l2_bandwidth",  "dram_bandwidth", "total_s", "speedup"};
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    names.push_back(fmt::format("limited_by_{}", name_of(static_cast<Bottleneck>(i))));
  }
  return names;
}

Plot empty_plot(const EvaluationInput& input, const Gpu& gpu) {
  Plot plot;
  plot.file = "fig16";
  plot.what = fmt::format("Fig 16: speedup of the options of Table 16a over {}, ResNet-152", gpu.id);
  plot.caption = batch_note(input.batch) + " All 155 convolutions. Options 7 to 9 need a tile that is not described.";
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

Gpu scaled(Gpu gpu, const ScalingOption& option) {
  gpu.sm_count *= option.sm_count;
  for (FlopsPerSecond& peak : gpu.peaks) peak *= option.sm_count * option.mac_per_sm;
  gpu.sm.registers *= option.registers;
  gpu.sm.smem *= option.smem;
  gpu.smem_load_bandwidth *= option.smem_bandwidth;
  gpu.smem_store_bandwidth *= option.smem_bandwidth;
  for (MemoryLevel& level : gpu.levels) {
    if (level.name == "L1") level.bandwidth *= option.l1_bandwidth;
    if (level.name == "L2") level.bandwidth *= option.l2_bandwidth;
    if (level.name == "DRAM") level.bandwidth *= option.dram_bandwidth;
  }
  return gpu;
}

Figure make_scaling(const EvaluationInput& input, const Simulations& /*simulations*/) {
  const Gpu& gpu = input.gpus.front();
  const std::vector<EvaluatedLayer> layers = convolutions_of(kNetwork, input.batch);
  FigureTable table;
  table.file = "table16";
  table.what = fmt::format("speedup of options 1 to 6 over {}, all convolutions of ResNet-152", gpu.id);
  table.columns = columns();
  Plot plot = empty_plot(input, gpu);
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    PlotSeries series = {.name = std::string(name_of(kMethods[i])), .colour = i};
    const Outcome base = outcome(gpu, layers, kMethods[i]);
    series.points.emplace_back(0, 1);
    table.rows.push_back(row_of(input, gpu, {.name = "0"}, kMethods[i], base, 1));
    for (std::size_t option = 0; option < kScalingOptions.size(); ++option) {
      const Outcome result = outcome(scaled(gpu, kScalingOptions[option]), layers, kMethods[i]);
      const double speedup = base.time / result.time;
      table.rows.push_back(row_of(input, gpu, kScalingOptions[option], kMethods[i], result, speedup));
      series.points.emplace_back(static_cast<double>(option + 1), speedup);
    }
    plot.series.push_back(std::move(series));
  }
  Figure figure;
  figure.tables.push_back(std::move(table));
  figure.plots.push_back(std::move(plot));
  return figure;
}

}  // namespace rooftile
