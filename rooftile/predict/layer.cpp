#include "rooftile/predict/layer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "rooftile/timing/roofline.hpp"

namespace rooftile {

LayerEstimate empty_layer(std::string_view op, Method method) {
  LayerEstimate layer;
  layer.op = op;
  layer.method = method;
  layer.kernels = 0;
  return layer;
}

std::string function_of(const OpKind& kind) {
  return std::visit(
      [](const auto& one) -> std::string {
        if constexpr (requires { one.function; }) return one.function;
        return {};
      },
      kind);
}

Traffic compulsory_traffic(const OperandBytes& bytes) {
  return {.l1 = bytes.read,
          .l2 = bytes.read,
          .dram = bytes.read,
          .store_l2 = bytes.write,
          .store_dram = bytes.write,
          .compulsory = bytes.read};
}

void add_totals(LayerEstimate& layer, const KernelNumbers& kernel, double count) {
  layer.traffic += kernel.traffic * count;
  for (std::size_t i = 0; i < kBottlenecks; ++i) layer.cases.by[i] += kernel.cases.by[i] * count;
  layer.time += kernel.time * count;
  layer.kernels += kernel.launches * count;
}

void add_totals(LayerEstimate& layer, const KernelEstimate& kernel) {
  add_totals(layer, {kernel.launches, kernel.traffic, kernel.cases, kernel.time}, kernel.count);
}

void add_kernel(LayerEstimate& layer, const KernelEstimate& kernel) {
  add_totals(layer, kernel);
  layer.breakdown.push_back(kernel);
}

void add_roofline(LayerEstimate& layer, const OperandBytes& bytes, const Gpu& gpu, DType precision) {
  const FlopsPerSecond peak = peak_of(precision, gpu).value_or(gpu.peak(Peak::fp32));
  const RooflineTiming timing = roofline_time(bytes, layer.flops, peak, gpu);
  add_kernel(layer, {.traffic = compulsory_traffic(bytes), .cases = timing.cases, .time = timing.time});
  layer.bottleneck = timing.bottleneck;
}

namespace {

// Gives a sum without an interval the reason of most of its time.
void blame_largest(LayerEstimate& sum, const InOrder<LayerEstimate>& estimates) {
  std::map<std::pair<NoInterval, std::optional<KernelFamily>>, Seconds> times;
  for (const LayerEstimate& one : estimates) {
    if (!interval_of(one)) times[{one.no_interval, one.family}] += one.time;
  }
  const auto largest =
      std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest == times.end()) return;
  std::tie(sum.no_interval, sum.family) = largest->first;
  if (sum.no_interval == NoInterval::method && estimates.size() > 1) sum.no_interval = NoInterval::layers;
}

}  // namespace

LayerEstimate sum_of(const InOrder<LayerEstimate>& estimates) {
  if (estimates.empty()) return empty_layer("", Method::none);
  LayerEstimate sum = estimates[0];
  for (std::size_t i = 1; i < estimates.size(); ++i) {
    const LayerEstimate& next = estimates[i];
    sum.flops += next.flops;
    sum.traffic += next.traffic;
    for (std::size_t which = 0; which < kBottlenecks; ++which) sum.cases.by[which] += next.cases.by[which];
    sum.time += next.time;
    sum.kernels += next.kernels;
    sum.breakdown.insert(sum.breakdown.end(), next.breakdown.begin(), next.breakdown.end());
  }
  sum.bottleneck = largest(sum.cases);
  sum.time_low = sum.time_high = {};
  if (const auto interval = interval_of(estimates)) {
    sum.time_low = interval->low;
    sum.time_high = interval->high;
  }
  if (!interval_of(sum)) blame_largest(sum, estimates);
  double common = 0;
  for (const LayerEstimate& one : estimates) common += one.time.value() * std::log(one.common_error);
  sum.common_error = sum.time > Seconds(0) ? std::exp(common / sum.time.value()) : 1;
  return sum;
}

}  // namespace rooftile
