// Fused attention.
#include <cmath>

#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/refined.hpp"
#include "rooftile/timing/attention_time.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// A backward pass has five products where the forward one has two, and keeps the tensor cores about as busy (Dao,
// FlashAttention-2, arXiv:2307.08691, figures 4 and 5).
constexpr double kBackward = 2.5;

Traffic traffic_of(const AttentionPlan& plan, const AttentionTime& time, Bytes compulsory) {
  Traffic traffic;
  traffic.l1 = traffic.l2 = plan.queries + plan.keys * plan.key_loads;
  traffic.dram = time.dram_load;
  traffic.store_dram = time.dram_store;
  traffic.compulsory = compulsory;
  return traffic;
}

void add_attention(LayerEstimate& layer, const Attention& attention, const OperandBytes& bytes, const Gpu& gpu,
                   const PredictOptions& options, const RefinedModel& model) {
  const bool forward = options.pass == Pass::fwd;
  const std::string framework = forward ? options.framework : "";
  const AttentionCall call = attention_call(options.plan.kernel, framework, gpu);
  const AttentionPlan plan = attention_plan(attention, options.precision, call, gpu);
  const AttentionTime time = attention_time(plan, model.machine);
  const double factor = forward ? 1 : kBackward;
  for (std::size_t i = 0; i < kBottlenecks; ++i) layer.cases.by[i] = time.cases.by[i] * factor;
  layer.time = time.time * factor;
  layer.kernels = std::ceil(plan.kernels) + (plan.split > 1 ? 1 : 0);
  layer.traffic = traffic_of(plan, time, bytes.read);
  layer.traffic = layer.traffic * factor;
  layer.method = Method::rooftile;
  layer.attention = plan;
  RefinedModel measured = model;
  if (!forward) measured.spread.reset();  // nobody measured a gradient
  finish_refined(layer, measured);
}

}  // namespace

LayerEstimate estimate(const Attention& attention, const Gpu& gpu, const PredictOptions& options) {
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
  const auto model =
      options.method == Method::rooftile ? refined_model(RefinedOp::attention, gpu, multiplied) : std::nullopt;
  if (model) {
    add_attention(layer, attention, bytes, gpu, options, *model);
  } else {
    add_roofline(layer, bytes, gpu, options.precision);
  }
  return layer;
}

}  // namespace rooftile
