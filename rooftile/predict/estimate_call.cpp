#include <utility>
#include <variant>
#include <vector>

#include "rooftile/plan/tensor_conv.hpp"
#include "rooftile/predict/attention.hpp"
#include "rooftile/predict/call.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/ordered_sums.hpp"
#include "rooftile/predict/recurrent.hpp"
#include "rooftile/predict/stream.hpp"
#include "rooftile/traffic/launch_traffic.hpp"
#include "rooftile/traffic/prior.hpp"

namespace rooftile {
namespace {

// Adds `count` equal kernels of an implicit GEMM to a layer, by DeLTA or with fixed miss rates.
void add_delta_kernel(LayerEstimate& layer, const Im2col& gemm, double count, const Gpu& gpu,
                      const PredictOptions& options) {
  KernelEstimate& made = layer.breakdown.emplace_back();
  DeltaKernel& kernel = made.plan.emplace<DeltaKernel>();
  kernel.gemm = gemm;
  kernel.plan = delta_plan(gemm, gpu, options.plan);
  kernel.traffic = options.method == Method::prior ? prior_traffic(gemm, kernel.plan, gpu.l1_request,
                                                                   options.prior_miss_rate, options.prior_miss_rate)
                                                   : delta_traffic(gemm, kernel.plan, gpu.l1_request);
  kernel.timing = delta_time(kernel.plan, kernel.traffic, delta_rates(gpu));
  made.count = count;
  made.traffic = kernel.traffic.total;
  made.cases = kernel.timing.cases;
  made.time = kernel.timing.time;
  add_totals(layer, made);
}

const RefinedModel* model_of(const Products& products, const Gpu& gpu, const PredictOptions& options,
                             RefinedModels& models) {
  if (options.method != Method::rooftile) return nullptr;
  return models.find(products.convolution ? RefinedOp::conv : RefinedOp::gemm, gpu, options);
}

// See conv_groups.hpp.
bool lacks_kernel(const Products& products, const RefinedModel& model, const Gpu& gpu) {
  return products.on_lanes && model.family == KernelFamily::conv_tensor && !is_volta_or_turing(gpu);
}

// One channel leaves a GEMM nothing to reduce; MIOpen has kernels for it among its others. And what tensor cores have
// no kernel for.
bool streams(const Products& products, const RefinedModel* model, const Gpu& gpu) {
  if (model != nullptr && lacks_kernel(products, *model, gpu)) return true;
  const bool by_kernels = model != nullptr && model->family == KernelFamily::conv_miopen;
  return products.parts.empty() || (products.depthwise && !by_kernels);
}

void add_products(LayerEstimate& layer, const Products& products, const Gpu& gpu, const PredictOptions& options,
                  RefinedModels& models) {
  layer.method = options.method;
  if (options.method == Method::roofline) {
    if (products.depthwise) layer.function = "depthwise";
    return add_roofline(layer, products.compulsory, gpu, options.precision);
  }
  const RefinedModel* model = model_of(products, gpu, options, models);
  if (streams(products, model, gpu)) {
    if (products.depthwise && options.breakdown) layer.function = "depthwise";
    layer.method = Method::stream;
    return add_streams(layer, products.streams, gpu, options, models);
  }
  for (const Products::Part& part : products.parts) {
    if (model != nullptr) {
      add_refined(layer, part.gemm, part.count, gpu, *model, options, &part.ahead, models.products());
    } else {
      add_delta_kernel(layer, part.gemm, part.count, gpu, options);
    }
  }
  if (model != nullptr) return finish_refined(layer, *model);
  layer.bottleneck = largest(layer.cases);
}

// Whether the products are timed at the L2: not by the roofline, nor where other methods than rooftile take them for
// streams.
bool times_l2(const Products& products, const Gpu& gpu, const PredictOptions& options) {
  if (options.method == Method::rooftile) return true;
  return options.method != Method::roofline && !streams(products, nullptr, gpu);
}

KernelEstimate fused_loads(const LayerCall& call, const Products& products, const Gpu& gpu) {
  const MemoryLevel& l2 = gpu.level("L2");
  const bool refined = call.options.method == Method::rooftile;
  const double kept = refined ? share_kept(call.epilogue_age, l2) : 0;
  const Bytes missed = call.epilogue * (1 - kept);
  KernelEstimate loads{.launches = 0, .traffic = compulsory_traffic({call.epilogue, {}}), .plan = FusedLoads{}};
  loads.traffic.dram = missed;
  loads.cases[Bottleneck::dram] = missed / gpu.level("DRAM").bandwidth;
  loads.time = loads.cases[Bottleneck::dram] + (call.epilogue - missed) / l2.bandwidth;
  if (times_l2(products, gpu, call.options)) loads.cases[Bottleneck::l2] = call.epilogue / l2.bandwidth;
  return loads;
}

// The products, and what operators that are fused into their last kernel load and what sums wait for. These count
// first: add_products() also adds what goes by the sum of all.
void add_fused_products(LayerEstimate& layer, const LayerCall& call, const Products& products, const Gpu& gpu,
                        RefinedModels& models) {
  std::vector<KernelEstimate> beside;
  if (call.epilogue > Bytes(0)) beside.push_back(fused_loads(call, products, gpu));
  if (sums_in_order(call.options, gpu)) {
    for (const Products::Part& part : products.parts) beside.push_back(ordered_sums(part.gemm, gpu));
  }
  for (const KernelEstimate& one : beside) add_totals(layer, one);
  add_products(layer, products, gpu, call.options, models);
  if (call.options.breakdown) layer.breakdown.insert(layer.breakdown.end(), beside.begin(), beside.end());
}

}  // namespace

void plan_ahead(LayerCall& call, const Gpu& gpu, RefinedModels& models) {
  auto* products = std::get_if<Products>(&call.work);
  if (products == nullptr) return;
  const RefinedModel* model = model_of(*products, gpu, call.options, models);
  if (model == nullptr || streams(*products, model, gpu)) return;
  for (Products::Part& part : products->parts) {
    part.ahead = plans_ahead(op_shape(part.gemm, *model, call.options.pass), gpu, call.options.plan);
  }
}

void estimate_new(const LayerCall& call, const Gpu& gpu, RefinedModels& models, LayerEstimate& layer) {
  layer.method = Method::none;
  layer.kernels = 0;
  if (call.options.breakdown) {
    layer.name = call.name;
    layer.op = call.op;
    layer.function = call.function;
    layer.output = call.output;
  }
  layer.flops = call.flops;
  layer.pass = call.options.pass;
  if (const auto* products = std::get_if<Products>(&call.work)) {
    add_fused_products(layer, call, *products, gpu, models);
  } else if (const auto* streams = std::get_if<Streams>(&call.work)) {
    layer.method = Method::stream;
    add_streams(layer, *streams, gpu, call.options, models);
  } else if (const auto* attention = std::get_if<Attention>(&call.work)) {
    add_attention(layer, *attention, gpu, call.options, models);
  } else if (const auto* recurrent = std::get_if<Recurrent>(&call.work)) {
    add_recurrent(layer, *recurrent, gpu, call.options, models);
  }
}

void estimate(const LayerCall& call, const Gpu& gpu, RefinedModels& models, LayerEstimate& layer) {
  layer.clear();
  estimate_new(call, gpu, models, layer);
}

LayerEstimate estimate(const LayerCall& call, const Gpu& gpu, RefinedModels& models) {
  LayerEstimate layer;
  estimate_new(call, gpu, models, layer);
  return layer;
}

}  // namespace rooftile
