// Fused attention.
#include <cmath>
#include <utility>

#include "rooftile/plan/attention_backward.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/timing/attention_time.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

void add_attention(LayerEstimate& layer, const Attention& attention, const OperandBytes& bytes, const Gpu& gpu,
                   const PredictOptions& options, const RefinedModel& model) {
  const AttentionCall call = attention_call(options.plan.kernel, options.framework, gpu);
  const AttentionPlan plan = options.pass == Pass::fwd
                                 ? attention_plan(attention, options.precision, call, gpu)
                                 : attention_backward_plan(attention, options.precision, call, gpu);
  const AttentionTime time = attention_time(plan, model.rates);
  KernelEstimate kernel{.launches = std::ceil(plan.kernels) + (plan.split > 1 && !plan.merged ? 1 : 0), .plan = plan};
  kernel.traffic = time.traffic.total();
  kernel.traffic.compulsory = bytes.read;
  kernel.cases = time.cases;
  kernel.time = time.time;
  add_kernel(layer, std::move(kernel));
  layer.method = Method::rooftile;
  finish_refined(layer, model);
}

}  // namespace

LayerEstimate estimate(const Attention& attention, const Gpu& gpu, const PredictOptions& options,
                       RefinedModels& models) {
  LayerEstimate layer = empty_layer("attention", Method::roofline);
  layer.pass = options.pass;
  if (options.pass == Pass::bwd_weight) return layer;  // with bwd_data
  layer.flops = Flops(2 * (options.pass == Pass::fwd ? macs(attention) : gradient_macs(attention)));
  const AttentionElements count = elements_of(attention);
  const Bytes element = size_of(options.precision);
  const Bytes kv = size_of(attention.kv_precision.value_or(options.precision)) * (count.kv + count.values);
  OperandBytes bytes = {element * count.q + kv, element * count.out};
  // The gradient also reads the result and its gradient, and writes one for each operand.
  if (options.pass != Pass::fwd) bytes = {bytes.read + element * (2 * count.out), bytes.read};
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
