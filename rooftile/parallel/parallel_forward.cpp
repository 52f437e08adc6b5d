#include "rooftile/parallel/parallel_forward.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/base/try.hpp"
#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/execution/cache_type.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/parallel/served_layers.hpp"

namespace rooftile {
namespace {

Result<Prediction> predicted(Transformer part, std::int64_t layers, const TransformerRun& run, const Gpu& gpu,
                             const PredictOptions& options) {
  part.layers = layers;
  part.dense_layers = std::min(part.dense_layers, layers);
  TRY(check(part, run));
  const Workload workload = build(part, run);
  TRY(validate(workload));
  return predict(workload, gpu, options, Phase::fwd);
}

// Of the batch that the pipeline's stages work on at once: as many parts as stages. FasterTransformer has that many
// only where they come out even, and halves what is longer than 1,024 positions (nccl_utils.cc, getLocalBatchSize).
std::int64_t part_of_batch(const ForwardRun& run, std::int64_t stages, std::string_view framework) {
  if (!halves_batches(framework) || stages == 1) return (run.batch + stages - 1) / stages;
  constexpr std::int64_t kPositions = 1024;
  std::int64_t part = run.batch % stages == 0 ? run.batch / stages : run.batch;
  while (part % 2 == 0 && part > kPositions / run.seq_len) part /= 2;
  return part;
}

double launches_of(const Prediction& prediction) {
  double launches = 0;
  for (const LayerEstimate& layer : prediction.run()) launches += layer.kernels;
  return launches;
}

// Layers that are all alike take as long each: two of them tell the time of any number, queue of the host included.
bool is_uniform(const Transformer& shape) {
  const bool experts = shape.experts == 0 || (shape.dense_layers == 0 && shape.expert_period == 1);
  return experts && shape.window_period == 1;
}

// That the caches of all layers hold, of a text of so many.
double cached_positions(const Transformer& shape, std::int64_t text) {
  std::int64_t held = 0;
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    const std::int64_t window = layer_of(shape, i).window;
    held += window > 0 ? std::min(text, window) : text;
  }
  return static_cast<double>(held);
}

}  // namespace

Result<ForwardTime> parallel_forward(const Transformer& shape, const ForwardRun& run, const Parallelism& way,
                                     const GpuCluster& cluster, const Gpu& gpu, const PredictOptions& options) {
  Parallelism degrees;
  degrees.tp = way.tp, degrees.pp = way.pp, degrees.dp = way.dp;
  TRY(check(degrees));
  const Transformer part = TRY(served_slice(shape, way));
  const std::int64_t batch = part_of_batch(run, way.pp, options.framework);
  const std::int64_t rounds = (run.batch + batch - 1) / batch;  // parts of the batch
  TransformerRun once;
  once.batch_size = batch;
  once.seq_len = run.seq_len;
  once.context = run.context.value_or(0);

  PredictOptions own = options;
  own.breakdown = false;
  const auto layers = static_cast<double>(shape.layers);
  ForwardTime time;
  Seconds whole;
  std::optional<Interval> range;  // of a layer or of all
  Seconds of_range;               // what it is an interval of
  Bytes weights;
  if (is_uniform(shape) && shape.layers > 2) {
    const Prediction two = TRY(predicted(part, 2, once, gpu, own));
    const Prediction three = TRY(predicted(part, 3, once, gpu, own));
    whole = two.time + (three.time - two.time) * (layers - 2);
    weights = two.memory.weights + (three.memory.weights - two.memory.weights) * (layers - 2);
    range = interval_of(three), of_range = three.time;
    time.launches = launches_of(two) + (launches_of(three) - launches_of(two)) * (layers - 2);
  } else {
    const Prediction all = TRY(predicted(part, shape.layers, once, gpu, own));
    whole = all.time, weights = all.memory.weights;
    range = interval_of(all), of_range = all.time;
    time.launches = launches_of(all);
  }

  const double tokens = static_cast<double>(batch) * static_cast<double>(once.seq_len);
  time.exchanging = exchange_time(shape, tokens, way, cluster, gpu, options);
  if (way.pp > 1) {
    const Collective send = {CollectiveKind::send, 2, hidden_state(shape, tokens, options), DType::fp16};
    for (int stage = 0; stage + 1 < way.pp; ++stage) {
      time.sending += collective_time(send, gpu, pair_of_stages(cluster, way.tp * way.dp, stage, stage + 1)).time;
    }
  }
  // Parts of the batch follow one another: the last leaves the last stage after as many more stages' times.
  const double stages = run.stages_full ? 1 : 1 + static_cast<double>(rounds - 1) / way.pp;
  time.exchanging *= stages, time.sending *= stages;
  const Seconds computing = whole * stages;
  time.time = computing + time.exchanging + time.sending;
  const Seconds moved = time.exchanging + time.sending;
  if (range) {
    time.range = {computing * (range->low / of_range) + moved / kCollectiveSpread,
                  computing * (range->high / of_range) + moved * kCollectiveSpread};
  }
  time.weights = weights / static_cast<double>(way.pp);
  const double entries = cached_positions(shape, run.context.value_or(run.seq_len)) * static_cast<double>(run.batch);
  const double width = part.latent.kv_rank > 0 ? static_cast<double>(part.latent.kv_rank + part.latent.rope_dim)
                                               : 2.0 * static_cast<double>(part.kv_heads * part.head_dim);
  time.cache = size_of(cache_type(options.cache, options.precision)) * (entries * width / way.pp);
  return time;
}

}  // namespace rooftile
