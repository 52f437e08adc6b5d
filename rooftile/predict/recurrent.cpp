#include "rooftile/predict/recurrent.hpp"

#include "rooftile/ops/recurrent.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/recurrent_time.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

// What waits from step to step; `model` is that of RefinedOp::recurrent.
void add_steps(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu, const RefinedModel& model,
               const PredictOptions& options) {
  const RecurrentTime time =
      recurrent_time(recurrent, options.pass, model.element, recurrent_gpu(recurrent, gpu, options), model.rates);
  KernelEstimate steps{.launches = 0, .time = time.time, .plan = RecurrentSteps{}};
  steps.traffic = time.on_chip ? persistent_traffic(recurrent, options.pass, model.element, model.rates)
                               : recurrent_traffic(recurrent, options.pass, model.element, model.rates);
  steps.cases[Bottleneck::compute] = time.compute;
  steps.cases[Bottleneck::latency] = time.latency;
  steps.cases[Bottleneck::l2] = time.l2;
  steps.cases[Bottleneck::dram] = time.dram;
  steps.cases[Bottleneck::launch] = time.launch;
  if (time.on_chip) {
    steps.launches = static_cast<double>(recurrent.layers);
  } else if (options.pass != Pass::bwd_weight) {
    const double cells = static_cast<double>(recurrent.layers) * static_cast<double>(recurrent.directions);
    steps.launches = static_cast<double>(recurrent.steps) * cells * launches_of_step(options.pass, model.rates);
  }
  add_kernel(layer, steps);
}

// What all kernels take where the steps have the fewest and the most launches of the callers that the model's range is
// of; `all` is what they take as predicted.
std::optional<Interval> range_of_launches(Seconds all, const Recurrent& recurrent, const Gpu& gpu,
                                          const RefinedModel& model, const PredictOptions& options) {
  if (!model.range) return std::nullopt;
  const RecurrentGpu own = recurrent_gpu(recurrent, gpu, options);
  const auto time_of = [&](double launches) {
    GpuRates rates = model.rates;
    rates.step_launches = launches;
    return recurrent_time(recurrent, options.pass, model.element, own, rates).time;
  };
  const Seconds others = all - time_of(model.rates.step_launches);
  return Interval{others + time_of(model.range->launches_low), others + time_of(model.range->launches_high)};
}

}  // namespace

void add_sequence_products(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu,
                           const PredictOptions& options, RefinedModels& models) {
  PredictOptions product_options = options;
  product_options.pass = Pass::fwd;  // each is a plain product
  product_options.plan = {};
  const RefinedModel* model = models.find(RefinedOp::gemm, gpu, product_options);
  if (model == nullptr) return;
  for (const SequenceProduct& product : sequence_products(recurrent, options.pass)) {
    add_refined(layer, im2col(product.gemm), product.count, gpu, *model, product_options);
  }
}

void add_recurrent(LayerEstimate& layer, const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options,
                   RefinedModels& models) {
  layer.method = Method::roofline;
  if (options.method == Method::rooftile) {
    if (const RefinedModel* model = models.find(RefinedOp::recurrent, gpu, options)) {
      layer.method = Method::rooftile;
      add_steps(layer, recurrent, gpu, *model, options);
      add_sequence_products(layer, recurrent, gpu, options, models);
      finish_refined(layer, *model, model->floor, range_of_launches(layer.time, recurrent, gpu, *model, options));
      return;
    }
  }
  const double positions = static_cast<double>(recurrent.batch) * static_cast<double>(recurrent.steps);
  const double in = static_cast<double>(recurrent.input);
  const double out = static_cast<double>(recurrent.hidden) * static_cast<double>(recurrent.directions);
  const Bytes element = size_of(options.precision);
  add_roofline(layer, {element * (positions * in + weights_of(recurrent)), element * (positions * out)}, gpu,
               options.precision);
}

}  // namespace rooftile
