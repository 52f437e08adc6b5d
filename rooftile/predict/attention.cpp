#include "rooftile/predict/attention.hpp"

#include <cmath>

#include "rooftile/plan/attention_backward.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/timing/attention_time.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

void add_planned(LayerEstimate& layer, const Attention& attention, const OperandBytes& bytes, const Gpu& gpu,
                 const PredictOptions& options, const AttentionCall& call, const RefinedModel& model) {
  const AttentionPlan plan = options.pass == Pass::fwd
                                 ? attention_plan(attention, options.precision, call, gpu)
                                 : attention_backward_plan(attention, options.precision, call, gpu);
  const AttentionTime time = attention_time(plan, model.rates);
  KernelEstimate kernel{.launches = std::ceil(plan.kernels) + (plan.split > 1 && !plan.merged ? 1 : 0), .plan = plan};
  kernel.traffic = time.traffic.total();
  kernel.traffic.compulsory = bytes.read;
  kernel.cases = time.cases;
  kernel.time = time.time;
  add_kernel(layer, kernel);
  layer.method = Method::rooftile;
  finish_refined(layer, model);
}

}  // namespace

void add_attention(LayerEstimate& layer, const Attention& attention, const Gpu& gpu, const PredictOptions& options,
                   RefinedModels& models) {
  layer.method = Method::roofline;
  if (options.pass == Pass::bwd_weight) return;  // with bwd_data
  const AttentionElements count = elements_of(attention);
  const Bytes element = size_of(options.precision);
  const Bytes kv = size_of(attention.kv_precision.value_or(options.precision)) * (count.kv + count.values);
  OperandBytes bytes = {element * count.q + kv, element * count.out};
  // The gradient also reads the result and its gradient, and writes one for each operand.
  if (options.pass != Pass::fwd) bytes = {bytes.read + element * (2 * count.out), bytes.read};
  PredictOptions multiplied = options;
  const AttentionCall call = attention_call(options.plan.kernel, options.framework, options.precision, gpu);
  multiplied.precision = attention_precision(attention, options.precision, call.library, gpu);
  const RefinedModel* model =
      options.method == Method::rooftile ? models.find(RefinedOp::attention, gpu, multiplied) : nullptr;
  if (model != nullptr) {
    add_planned(layer, attention, bytes, gpu, options, call, *model);
  } else {
    add_roofline(layer, bytes, gpu, options.precision);
  }
}

}  // namespace rooftile
