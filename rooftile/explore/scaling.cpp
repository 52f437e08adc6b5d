#include "rooftile/explore/scaling.hpp"

#include <variant>

#include "rooftile/base/try.hpp"
#include "rooftile/explore/layer_time.hpp"

namespace rooftile {
namespace {

void add(ScalingRow& row, Seconds time, Bottleneck bottleneck, double count) {
  const auto which = static_cast<std::size_t>(bottleneck);
  row.time += time.value() * count;
  row.shares[which] += time.value() * count;
  row.layers[which] += count;
}

}  // namespace

DesignPoint design_of(const ScalingOption& option, const Gpu& base) {
  DesignPoint point = design_of(base);
  at(point, Parameter::sm_count) *= option.sm_count;
  at(point, Parameter::mac_per_sm) *= option.mac_per_sm;
  at(point, Parameter::registers) *= option.registers;
  at(point, Parameter::smem) *= option.smem;
  at(point, Parameter::smem_bandwidth) *= option.smem_bandwidth;
  at(point, Parameter::l1_bandwidth) *= option.l1_bandwidth;
  at(point, Parameter::l2_bandwidth) *= option.l2_bandwidth;
  at(point, Parameter::dram_bandwidth) *= option.dram_bandwidth;
  at(point, Parameter::cta_tile) = option.cta_tile;
  return point;
}

Result<std::vector<ScalingRow>> scaling_study(const Gpu& base, const WeightedWorkload& workload,
                                              const PredictOptions& options) {
  TRY(check(options, base));
  auto layers = TRY(unique_layers(workload.workload, 1, workload.convolutions_only));
  std::vector<ScalingOption> studied = {{.name = "0"}};
  for (const ScalingOption& option : kScalingOptions) {
    if (options.method == Method::delta || option.cta_tile == kTileRows) studied.push_back(option);
  }
  std::vector<ScalingRow> rows;
  for (const ScalingOption& option : studied) {
    const Gpu gpu = with_design(base, design_of(option, base));
    ScalingRow row;
    row.option = option;
    if (options.method == Method::delta) {
      row.unfit = unfit_of(layers, gpu, option.cta_tile);
      for (const UniqueLayer& layer : layers) {
        const LayerTime time = layer_time(layer, gpu, option.cta_tile);
        add(row, time.time, time.bottleneck, layer.count);
      }
    } else {
      for (const Op& op : workload.workload.ops) {
        if (workload.convolutions_only && !std::holds_alternative<Conv>(op.kind)) continue;
        const LayerEstimate layer = estimate(workload.workload, op, gpu, options);
        if (layer.time > Seconds(0)) add(row, layer.time, layer.bottleneck, 1);
      }
    }
    row.speedup = rows.empty() ? 1 : rows.front().time / row.time;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace rooftile
