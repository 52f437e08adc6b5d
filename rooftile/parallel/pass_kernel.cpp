#include "rooftile/parallel/pass_kernel.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "rooftile/timing/roofline.hpp"

namespace rooftile {
namespace {

// Operators of which tensor cores do the products, by methods that know them.
bool uses_tensor_cores(const LayerEstimate& layer, DType precision, const Gpu& gpu) {
  constexpr std::array<std::string_view, 4> kProducts = {"conv", "gemm", "attention", "recurrent"};
  if (std::find(kProducts.begin(), kProducts.end(), layer.op) == kProducts.end()) return false;
  if (layer.method != Method::rooftile && layer.method != Method::roofline) return false;
  const auto unit = matrix_unit(precision, gpu);
  return unit && *unit != Peak::fp64 && *unit != Peak::fp32 && *unit != Peak::fp16;
}

// Without the layer's number, which all layers of a kind share.
std::string name_in_block(const LayerEstimate& layer) {
  std::string_view name = layer.name;
  if (name.starts_with("layer")) {
    const std::size_t digits = std::string_view("layer").size();
    const std::size_t end = name.find_first_not_of("0123456789", digits);
    if (end > digits && end < name.size() && name[end] == '/') name.remove_prefix(end + 1);
  }
  return layer.pass == Pass::fwd ? std::string(name) : fmt::format("{} {}", name, name_of(layer.pass));
}

// A warp of NVIDIA's GPUs, in which the plans count.
constexpr double kWarp = 32;

struct Extent {
  double ctas = 0, threads = 0;
};

Extent extent_of(const KernelEstimate& kernel) {
  return std::visit(
      [](const auto& plan) -> Extent {
        using Plan = std::decay_t<decltype(plan)>;
        if constexpr (std::is_same_v<Plan, RefinedKernel>) {
          return {plan.plan.main.ctas, plan.plan.main.ctas > 0 ? plan.plan.main.warps * kWarp : 0};
        } else if constexpr (std::is_same_v<Plan, StreamKernel>) {
          return {plan.ctas, plan.threads};
        } else if constexpr (std::is_same_v<Plan, AttentionPlan>) {
          return {plan.ctas * plan.split, 0};
        } else {
          return {};
        }
      },
      kernel.plan);
}

double macs_of(const KernelEstimate& kernel) {
  const auto* product = std::get_if<RefinedKernel>(&kernel.plan);
  if (product == nullptr) return 0;
  return product->plan.main.ctas * product->plan.main.macs_per_step * product->plan.main.steps * kernel.count;
}

}  // namespace

std::vector<PassKernel> pass_kernels(const LayerEstimate& layer, DType precision, const Gpu& gpu) {
  PassKernel whole;
  whole.tensor = uses_tensor_cores(layer, precision, gpu);
  whole.name = name_in_block(layer);
  if (whole.tensor) whole.name += fmt::format(" {}", name_of(precision));
  whole.time = layer.time;
  whole.launches = layer.kernels;
  whole.flops = layer.flops;
  whole.dram = layer.traffic.at_dram();
  Seconds time;
  Bytes dram;
  double macs = 0, launches = 0;
  for (const KernelEstimate& kernel : layer.breakdown) {
    time += kernel.time * kernel.count;
    dram += kernel.traffic.at_dram() * kernel.count;
    launches += kernel.launches * kernel.count;
    macs += macs_of(kernel);
  }
  if (layer.breakdown.empty() || !(time > Seconds(0))) return {whole};
  std::vector<PassKernel> kernels;
  for (const KernelEstimate& kernel : layer.breakdown) {
    PassKernel part = whole;
    const double share = kernel.time * kernel.count / time;
    part.time = whole.time * share;
    part.flops = whole.flops * (macs > 0 ? macs_of(kernel) / macs : share);
    if (dram > Bytes(0)) part.dram = whole.dram * (kernel.traffic.at_dram() * kernel.count / dram);
    if (launches > 0) part.launches = whole.launches * (kernel.launches * kernel.count / launches);
    const Extent extent = extent_of(kernel);
    part.ctas = extent.ctas, part.threads = extent.threads;
    if (layer.breakdown.size() > 1) part.name += fmt::format(" ({})", kernels.size() + 1);
    kernels.push_back(std::move(part));
  }
  return kernels;
}

}  // namespace rooftile
