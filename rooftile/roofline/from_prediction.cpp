#include "rooftile/roofline/from_prediction.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "rooftile/roofline/stalls.hpp"
#include "rooftile/timing/roofline.hpp"

namespace rooftile::roofline {
namespace {

// Whether the layer's arithmetic is products that tensor cores can do.
bool multiplies(const LayerEstimate& layer) {
  constexpr std::array<std::string_view, 4> kProducts = {"conv", "gemm", "attention", "recurrent"};
  return layer.method != Method::stream && std::find(kProducts.begin(), kProducts.end(), layer.op) != kProducts.end();
}

// What caches keep of a layer leaves shares of a byte, which no transfer has and which would stretch a logarithmic
// axis.
Bytes transferred(Bytes bytes) {
  constexpr Bytes kSector(32);  // the least that is moved
  return bytes < kSector ? Bytes(0) : bytes;
}

std::optional<Bytes> bytes_at(const Traffic& traffic, std::string_view level) {
  if (level == "L1") return transferred(traffic.at_l1());
  if (level == "L2") return transferred(traffic.at_l2());
  if (level == "DRAM") return transferred(traffic.at_dram());
  return std::nullopt;  // a level that no traffic model has
}

std::vector<std::string> assumptions_of(const Prediction& prediction) {
  return {
      fmt::format("Predicted by method {}: no kernel was run.", prediction.method),
      "A layer stands for all kernels that it launches.",
      "FLOPs are those that the chosen algorithm executes; Winograd and FFT do fewer than the textbook counts.",
      "Bytes at a level are the loads and stores there; stores pass the L1 on their way to the L2.",
      "Stall reasons of predictions are estimates from what limits each layer.",
      "Times of layers are the GPU's own: waiting for the host and transfers to and from it are not among them.",
  };
}

}  // namespace

Peak unit_of(const LayerEstimate& layer, DType precision, const Gpu& gpu) {
  if (!multiplies(layer) || layer.method == Method::delta || layer.method == Method::prior) return Peak::fp32;
  return matrix_unit(precision, gpu).value_or(Peak::fp32);
}

Flops executed_flops(const LayerEstimate& layer) {
  Flops fewer;
  const auto products = planned<RefinedKernel>(layer);
  for (const auto& [kernel, product] : products) {
    const LaunchPlan& plan = product.plan;
    const bool transformed = plan.algorithm == Algorithm::winograd || plan.algorithm == Algorithm::winograd_nonfused ||
                             plan.algorithm == Algorithm::fft;
    if (!transformed) return layer.flops;
    fewer += Flops(2 * plan.main.ctas * plan.main.macs_per_step * plan.main.steps * kernel.count);
  }
  return products.empty() ? layer.flops : fewer;
}

Kernel kernel_of(const LayerEstimate& layer, DType precision, const Gpu& gpu, const Roof& roof) {
  Kernel kernel;
  kernel.name = layer.name;
  kernel.layer = layer.name;
  kernel.op = layer.function.empty() ? layer.op : layer.function;
  kernel.pass = layer.pass;
  kernel.unit = unit_of(layer, precision, gpu);
  kernel.flops[static_cast<std::size_t>(kernel.unit)] = executed_flops(layer);
  for (const RoofLevel& level : roof.levels) kernel.bytes.push_back(bytes_at(layer.traffic, level.name));
  kernel.time = layer.time;
  kernel.time_low = layer.time_low;
  kernel.time_high = layer.time_high;
  kernel.launches = layer.kernels;
  kernel.cases = layer.cases;
  kernel.bottleneck = layer.bottleneck;
  kernel.stalls = estimated_stalls(layer.cases);
  kernel.stalls_estimated = true;
  return kernel;
}

std::vector<Kernel> kernels_of(const Prediction& prediction, const Gpu& gpu, const Roof& roof) {
  std::vector<Kernel> kernels;
  for (const LayerEstimate& layer : prediction.layers) {
    if (layer.time > Seconds(0)) kernels.push_back(kernel_of(layer, prediction.precision, gpu, roof));
  }
  return kernels;
}

View view_of(const Prediction& prediction, const Gpu& gpu, const Roof& roof) {
  View view;
  view.title = fmt::format("{} on {}", prediction.model, gpu.name);
  view.model = prediction.model;
  view.gpu = prediction.gpu;
  view.precision = prediction.precision_name();
  view.pass = prediction.pass;
  view.method = prediction.method;
  view.batch_size = prediction.batch_size;
  view.roof = roof;
  view.level = roof.level("DRAM").value_or(roof.levels.size() - 1);
  view.kernels = kernels_of(prediction, gpu, roof);
  view.assumptions = assumptions_of(prediction);
  const std::size_t free = prediction.layers.size() - view.kernels.size();
  if (free > 0) view.notes.push_back(fmt::format("Layers without a point, as they move no data: {}.", free));
  if (!prediction.unsupported.empty()) {
    view.notes.push_back(
        fmt::format("Unsupported operators, left out of every number: {}.", prediction.unsupported.size()));
  }
  view.stalls = network_stalls(view.kernels);
  return view;
}

}  // namespace rooftile::roofline
