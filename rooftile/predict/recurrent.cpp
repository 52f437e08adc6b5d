#include "rooftile/predict/recurrent.hpp"

#include "rooftile/ops/recurrent.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/recurrent_time.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

double cells_of(const Recurrent& recurrent) {
  return static_cast<double>(recurrent.layers) * static_cast<double>(recurrent.directions);
}

// What the steps load and store: weights as often as the L2 loses them, the elements of the gates.
Traffic steps_traffic(const Recurrent& recurrent, Bytes element, const Machine& machine) {
  const Gemm product = step_product(recurrent, Pass::fwd);
  const double steps = static_cast<double>(recurrent.steps);
  const Bytes weights = element * (static_cast<double>(product.n) * static_cast<double>(product.k));
  const Bytes gates = element * (gate_elements(recurrent) / 2);  // one half is loaded, the other stored
  Traffic traffic;
  traffic.l2 = (weights + gates) * steps;
  traffic.l1 = traffic.l2;
  traffic.dram = (weights * missed_weights(recurrent, element, machine) + gates) * steps;
  traffic.store_dram = gates * steps;
  traffic.compulsory = weights + gates * steps;
  return traffic * cells_of(recurrent);
}

// Everything but the overhead of the call; `model` is that of RefinedOp::recurrent.
void add_recurrent(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu, const RefinedModel& model,
                   const PredictOptions& options) {
  LayerEstimate products;  // their plans say nothing of the layer's
  products.kernels = 0;
  add_sequence_products(products, recurrent, gpu, options);
  layer.time += products.time;
  layer.kernels += products.kernels;
  layer.traffic += products.traffic;
  layer.cases = products.cases;
  const RecurrentTime time = recurrent_time(recurrent, options.pass, model.element, recurrent_gpu(gpu), model.machine);
  layer.time += time.time;
  layer.cases[Bottleneck::compute] += time.compute;
  layer.cases[Bottleneck::latency] += time.latency;
  layer.cases[Bottleneck::l2] += time.l2;
  layer.cases[Bottleneck::dram] += time.dram;
  layer.cases[Bottleneck::launch] += time.launch;
  if (options.pass == Pass::bwd_weight) return;
  const double launches = launches_of_step(options.pass, model.machine);
  layer.kernels += static_cast<double>(recurrent.steps) * cells_of(recurrent) * launches;
  layer.traffic += steps_traffic(recurrent, model.element, model.machine);
}

}  // namespace

void add_sequence_products(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu,
                           const PredictOptions& options) {
  PredictOptions product_options = options;
  product_options.pass = Pass::fwd;  // each is a plain product
  product_options.framework.clear();
  product_options.plan = {};
  const auto model = refined_model(RefinedOp::gemm, gpu, product_options);
  if (!model) return;
  for (const SequenceProduct& product : sequence_products(recurrent, options.pass)) {
    add_refined(layer, im2col(product.gemm), product.count, gpu, *model, product_options);
  }
}

LayerEstimate estimate(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options) {
  LayerEstimate layer = empty_layer("recurrent", Method::roofline);
  layer.function = recurrent.cell;
  layer.pass = options.pass;
  layer.flops = Flops(2 * macs(recurrent));
  if (options.method == Method::rooftile) {
    if (const auto model = refined_model(RefinedOp::recurrent, gpu, options)) {
      layer.method = Method::rooftile;
      add_recurrent(layer, recurrent, gpu, *model, options);
      finish_refined(layer, *model);
      return layer;
    }
  }
  const double positions = static_cast<double>(recurrent.batch) * static_cast<double>(recurrent.steps);
  const double in = static_cast<double>(recurrent.input);
  const double out = static_cast<double>(recurrent.hidden) * static_cast<double>(recurrent.directions);
  const Bytes element = size_of(options.precision);
  add_roofline(layer, {element * (positions * in + weights_of(recurrent)), element * (positions * out)}, gpu,
               options.precision);
  return layer;
}

}  // namespace rooftile
