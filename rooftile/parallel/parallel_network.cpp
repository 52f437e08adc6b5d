#include "rooftile/parallel/parallel_network.hpp"

#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/ingest/network_run.hpp"
#include "rooftile/ingest/transformer_model.hpp"

namespace rooftile {

Result<ParallelNetwork> parallel_network(const NetworkRun& run) {
  ParallelNetwork network;
  network.name = run.model;
  network.shape = TRY(transformer_of(run));
  if (network.shape && network.shape->patch > 0) network.shape.reset();  // images: as any other network
  if (network.shape) network.seq_len = run.seq_len.value_or(network.shape->seq_len);
  network.workload = [run](std::int64_t batch) {
    NetworkRun share = run;
    share.batch = batch;
    return load_network(share);
  };
  if (!network.shape) TRY(network.workload(1));
  return network;
}

Transformer as_run(Transformer shape, std::string_view framework) {
  // Megatron-LM of 2021 to 2023 without --use-flash-attn, as its DeepSpeed fork has it by default.
  const bool original = runs_megatron_lm(framework);
  if (!original && !runs_megatron_deepspeed(framework)) return shape;
  shape.fused_softmax = original;  // megatron/model/fused_softmax.py
  shape.fused_attention = false;
  shape.fused_qkv = true;
  shape.dropout = true;
  return shape;
}

Result<NetworkBlocks> blocks_of(const ParallelNetwork& network, const Parallelism& way, const Gpu& gpu,
                                const PredictOptions& options, BlockDetail detail) {
  const bool whole = way.tp == 1 && way.pp == 1 && way.cp == 1 && way.ep == 1;
  if (network.shape && network.shape->form != TransformerForm::encoder_decoder) {
    return transformer_blocks(as_run(*network.shape, options.framework), network.seq_len, way, gpu, options, detail);
  }
  if (!whole) {
    return fail(ErrorCode::unsupported, "is no stack of alike layers: only data parallel GPUs (dp) share it",
                network.name);
  }
  const Workload workload = TRY(network.workload(way.micro_batch));
  PredictOptions own = options;
  own.recompute = way.recompute;
  own.micro_batches = 1;
  return layer_blocks(workload, gpu, own, detail);
}

}  // namespace rooftile
