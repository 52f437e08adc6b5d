#include "rooftile/parallel/served_layers.hpp"

#include <numeric>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/parallel/transformer_slice.hpp"

namespace rooftile {
namespace {

DType activations_of(const PredictOptions& options) {
  if (is_llama_cpp(options.framework)) return DType::fp32;
  return is_narrow_float(options.precision) ? kBesideNarrow : options.precision;
}

// Of what goes to the experts. DeepEP and TensorRT-LLM send what is multiplied (fused_moe_cutlass.py,
// run_post_quant_allgather), others what the layer before gave.
DType dispatched_in(const Parallelism& way, const PredictOptions& options) {
  const bool narrow = way.dispatcher == Dispatcher::deepep || narrows_before_gathering(options.framework);
  return narrow ? options.precision : activations_of(options);
}

class LayerExchanges {
 public:
  LayerExchanges(const Transformer& shape, double positions, const Parallelism& way, const GpuCluster& cluster,
                 const Gpu& gpu, const PredictOptions& options)
      : shape_(shape),
        way_(way),
        cluster_(cluster),
        gpu_(gpu),
        state_(hidden_state(shape, positions, options)),
        sent_(state_ * (size_of(dispatched_in(way, options)) / size_of(activations_of(options)))) {}

  // Over the GPUs of a replica.
  Seconds sum() const { return time(CollectiveKind::all_reduce, way_.tp, state_); }

  // To the experts and back.
  Seconds experts() const {
    const int gpus = way_.tp * way_.dp;
    Seconds all;
    if (way_.dispatcher == Dispatcher::gather) {
      all = time(CollectiveKind::all_gather, gpus, sent_ * way_.dp) +
            time(CollectiveKind::reduce_scatter, gpus, state_ * way_.dp);
    } else {  // each GPU of a replica sends its part of the positions
      const double copies = static_cast<double>(shape_.experts_per_token) / way_.tp;
      all = time(CollectiveKind::all_to_all, gpus, sent_ * copies) +
            time(CollectiveKind::all_to_all, gpus, state_ * copies);
    }
    return all + time(CollectiveKind::all_gather, way_.tp, state_);
  }

 private:
  Seconds time(CollectiveKind kind, int gpus, Bytes bytes) const {
    Collective collective = {kind, gpus, bytes, DType::fp16};
    if (way_.dispatcher == Dispatcher::deepep) collective.copies = static_cast<int>(shape_.experts_per_token);
    return collective_time(collective, gpu_, group_of(cluster_, gpus, 1)).time;
  }

  const Transformer& shape_;
  const Parallelism& way_;
  const GpuCluster& cluster_;
  const Gpu& gpu_;
  Bytes state_, sent_;  // of a replica's positions
};

}  // namespace

Result<Transformer> served_slice(const Transformer& shape, const Parallelism& way) {
  const int gpus = way.tp * way.dp;
  if (way.ep < 1 || gpus % way.ep != 0) {
    return fail(ErrorCode::usage,
                fmt::format("ep {} does not divide the {} of a stage", way.ep,
                            gpus == 1 ? "one GPU" : fmt::format("{} GPUs", gpus)),
                shape.name);
  }
  Parallelism degrees;
  degrees.tp = way.tp, degrees.pp = way.pp, degrees.ep = way.ep;
  if (shape.experts == 0) return slice(shape, degrees);
  degrees.etp = gpus / way.ep;
  if (shape.expert_ffn % degrees.etp != 0) {
    return fail(ErrorCode::usage,
                fmt::format("{} GPUs that share each expert (tp x dp / ep) do not divide its {} features", degrees.etp,
                            shape.expert_ffn),
                shape.name);
  }
  Transformer part = TRY(slice(shape, degrees));
  const int common = std::gcd(way.ep, way.dp);
  part.routed_apart = way.ep / common, part.routed_together = way.dp / common;
  return part;
}

Bytes hidden_state(const Transformer& shape, double positions, const PredictOptions& options) {
  return size_of(activations_of(options)) * (positions * static_cast<double>(shape.hidden));
}

Seconds exchange_time(const Transformer& shape, double positions, const Parallelism& way, const GpuCluster& cluster,
                      const Gpu& gpu, const PredictOptions& options) {
  const LayerExchanges exchanges(shape, positions, way, cluster, gpu, options);
  const Seconds sum = exchanges.sum();
  double mixtures = 0;
  for (std::int64_t i = 0; way.dp > 1 && i < shape.layers; ++i) mixtures += layer_of(shape, i).experts ? 1 : 0;
  const double after_mlp =
      shape.block == TransformerBlock::sequential ? static_cast<double>(shape.layers) - mixtures : 0;
  const Seconds sums = sum * (static_cast<double>(shape.layers) + after_mlp + 1);
  return mixtures > 0 ? sums + exchanges.experts() * mixtures : sums;
}

}  // namespace rooftile
