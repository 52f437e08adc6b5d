// Fused attention.
#include <cmath>
#include <utility>

#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/timing/attention_time.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// A backward pass has five products where the forward one has two, and keeps the tensor cores about as busy (Dao,
// FlashAttention-2, arXiv:2307.08691, figures 4 and 5).
constexpr double kBackward = 2.5;

void add_attention(LayerEstimate& layer, const Attention& attention, const OperandBytes& bytes, const Gpu& gpu,
                   const PredictOptions& options, const RefinedModel& model) {
  const bool forward = options.pass == Pass::fwd;
  const std::string framework = forward ? options.framework : "";
  const AttentionCall call = attention_call(options.plan.kernel, framework, gpu);
  const AttentionPlan plan = attention_plan(attention, options.precision, call, gpu);
  const AttentionTime time = attention_time(plan, model.rates);
  const double factor = forward ? 1 : kBackward;
  KernelEstimate kernel{.launches = std::ceil(plan.kernels) + (plan.split > 1 ? 1 : 0), .plan = plan};
  kernel.traffic = time.traffic.total();
  kernel.traffic.compulsory = bytes.read;
  kernel.traffic = kernel.traffic * factor;
  for (std::size_t i = 0; i < kBottlenecks; ++i) kernel.cases.by[i] = time.cases.by[i] * factor;
  kernel.time = time.time * factor;
  add_kernel(layer, std::move(kernel));
  layer.method = Method::rooftile;
  RefinedModel measured = model;
  if (!forward) measured.spread.reset();  // nobody measured a gradient
  finish_refined(layer, measured);
}

}  // namespace

LayerEstimate estimate(const Attention& attention, const Gpu& gpu, const PredictOptions& options,
                       RefinedModels& models) {
  LayerEstimate layer = empty_layer("attention", Method::roofline);
  layer.pass = options.pass;
  if (options.pass == Pass::bwd_weight) return layer;  // with bwd_data
  layer.flops = Flops(2 * macs(attention) * (options.pass == Pass::fwd ? 1 : kBackward));
  const AttentionElements count = elements_of(attention);
  const Bytes element = size_of(options.precision);
  const Bytes kv = size_of(attention.kv_precision.value_or(options.precision)) * (2 * count.kv);
  OperandBytes bytes = {element * count.q + kv, element * count.q};
  // The gradient also reads the result and its gradient, and writes one for each operand.
  if (options.pass != Pass::fwd) bytes = {bytes.read + element * (2 * count.q), bytes.read};
  PredictOptions multiplied = options;
  multiplied.precision = attention_precision(attention, options.precision, gpu);
  const RefinedModel* model =
      options.method == Method::rooftile ? models.find(RefinedOp::attention, gpu, multiplied) : nullptr;
  if (model != nullptr) {
    add_attention(layer, attention, bytes, gpu, options, *model);
  } else {
    add_roofline(layer, bytes, gpu, options.precision);
  }
  return layer;
}

}  // namespace rooftile
