#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/parallel/block_passes.hpp"
#include "rooftile/parallel/blocks.hpp"
#include "rooftile/parallel/megatron_kernels.hpp"
#include "rooftile/parallel/transformer_slice.hpp"

namespace rooftile {
namespace {

// The first layers of each kind: all that a network repeats.
struct Layers {
  std::vector<std::int64_t> firsts;
  std::int64_t needed = 1;  // to have one of each
};

Layers kinds_of(const Transformer& shape) {
  Layers kinds;
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    const auto alike = [&](std::int64_t first) { return layer_of(shape, first) == layer_of(shape, i); };
    if (std::none_of(kinds.firsts.begin(), kinds.firsts.end(), alike)) kinds.firsts.push_back(i);
  }
  kinds.needed = kinds.firsts.back() + 1;
  return kinds;
}

bool is_embedding(std::string_view name) {
  constexpr std::array<std::string_view, 6> kBegins = {"wte",       "wpe",     "embeddings",
                                                       "positions", "patches", "class_token"};
  return std::any_of(kBegins.begin(), kBegins.end(), [&](std::string_view begin) { return name.starts_with(begin); });
}

bool ends_in(std::string_view name, std::string_view end) {
  for (const std::string_view suffix : {".sum", ".recomputed"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name.ends_with(end);
}

// What tensor parallel GPUs do all alike, unless they share the sequence.
bool is_replicated(std::string_view name) {
  constexpr std::array<std::string_view, 7> kEnds = {
      "/norm", "/add", "out/dropout", "down/dropout", "/mlp/router", "/router/softmax", "/mlp/top_k"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return ends_in(name, end); });
}

// What looks at all positions of a text, of which a context parallel GPU has queries for a part.
bool sees_all(std::string_view name) {
  constexpr std::array<std::string_view, 7> kEnds = {"attention/attention", "attention/scores",  "attention/scale",
                                                     "attention/mask",      "attention/softmax", "attention/dropout",
                                                     "attention/context"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return ends_in(name, end); });
}

class TransformerBlocks {
 public:
  TransformerBlocks(const Transformer& shape, std::int64_t seq_len, const Parallelism& way, const Gpu& gpu,
                    const PredictOptions& options, BlockDetail detail)
      : shape_(shape), way_(way), gpu_(gpu), options_(options), detail_(detail), length_(seq_len / way.cp) {
    if (way.recompute != Recompute::full) options_.recompute = way.recompute;
    options_.micro_batches = 1;
    options_.breakdown = true;  // layers have names only with it
    hidden_state_ = size_of(trained_in({options.precision, options.autocast})) *
                    (static_cast<double>(way.micro_batch) * static_cast<double>(length_ * shape.hidden));
  }

  Result<NetworkBlocks> make() {
    if (length_ * way_.cp < 1 || length_ < 1) {
      return fail(ErrorCode::usage, fmt::format("cp {} is more than the text is long", way_.cp), shape_.name);
    }
    Transformer part = TRY(slice(shape_, way_));
    const Layers kinds = kinds_of(shape_);
    part.layers = kinds.needed;
    part.dense_layers = std::min(part.dense_layers, part.layers);
    const Workload workload = TRY(built(part));
    Prediction prediction = TRY(predict(workload, gpu_, options_, Phase::step));

    BlockPasses passes(prediction, gpu_, detail_);
    const bool converted_once = !scales_fp8_at_once(options_.framework);
    for (const LayerEstimate& layer : prediction.layers) {
      // Weights are converted to FP8 once for all micro-batches, as Transformer Engine does.
      const bool counts =
          !is_update(layer) && !(converted_once && ends_in(layer.name, ".weight.cast")) && !is_gate(layer.name);
      if (counts) passes.add(kind_of(layer.name, kinds), layer, share_of(layer.name));
    }
    NetworkBlocks blocks;
    blocks.even = shape_.form == TransformerForm::decoder && shape_.experts == 0;
    passes.finish(kinds.firsts.size() + 2, blocks);
    blocks.kinds.front().name = "embedding";
    blocks.kinds.back().name = "head";
    add_weights(workload, kinds, blocks);
    for (std::size_t i = 0; i < kinds.firsts.size(); ++i) {
      Block& block = blocks.kinds[i + 1];
      const bool experts = layer_of(shape_, kinds.firsts[i]).experts;
      block.name = experts ? "expert layer" : "layer";
      exchange_layer(block, experts);
      if (has_own_gates()) add_gates(part, experts, prediction, block);
      if (experts && runs_megatron_layers(options_.framework)) add_expert_kernels(part, prediction, block);
    }
    exchange_ends(blocks);
    if (way_.recompute == Recompute::full) recompute(blocks);
    if (way_.recompute == Recompute::operators) gather_again(blocks);
    lay_out(kinds, blocks);
    blocks.boundary = hidden_state_ / (way_.sequence_parallel ? way_.tp : 1);
    add_memory(part, prediction, blocks);
    return blocks;
  }

 private:
  Result<Workload> built(const Transformer& part) const {
    TransformerRun run;
    run.batch_size = way_.micro_batch;
    run.seq_len = length_;
    run.image_size = shape_.image_size;
    TRY(check(part, run));
    Workload workload = build(part, run);
    TRY(validate(workload));
    return workload;
  }

  static std::size_t kind_of(std::string_view name, const Layers& kinds) {
    for (std::size_t i = 0; i < kinds.firsts.size(); ++i) {
      if (name.starts_with(fmt::format("layer{}/", kinds.firsts[i]))) return i + 1;
    }
    if (name.starts_with("layer")) return BlockPasses::kNone;  // one more of a kind that is known
    return is_embedding(name) ? 0 : kinds.firsts.size() + 1;
  }

  // Of the time that the operator takes here.
  double share_of(std::string_view name) const {
    if (way_.sequence_parallel && is_replicated(name)) return 1.0 / way_.tp;
    return sees_all(name) ? way_.cp : 1;
  }

  // Batched over the experts, or at rest (zoo/transformer_mlp.cpp); the router and a shared MLP are not.
  static bool is_of_experts(std::string_view name) {
    constexpr std::array<std::string_view, 4> kEnds = {"/mlp/gate.weight", "/mlp/up.weight", "/mlp/down.weight",
                                                       "/mlp/resting.weight"};
    return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return name.ends_with(end); });
  }

  void add_weights(const Workload& workload, const Layers& kinds, NetworkBlocks& blocks) const {
    for (const Tensor& tensor : workload.tensors) {
      if (!tensor.constant || !is_floating(tensor.dtype)) continue;
      const std::size_t kind = kind_of(tensor.name, kinds);
      if (kind == BlockPasses::kNone) continue;
      HeldWeights& held = blocks.kinds[kind].weights;
      const bool layer = kind > 0 && kind <= kinds.firsts.size();
      const bool experts = layer && layer_of(shape_, kinds.firsts[kind - 1]).experts && is_of_experts(tensor.name);
      (experts ? held.experts : held.shared) += elements(tensor.shape);
    }
    if (shape_.tied) blocks.tied = blocks.kinds.front().weights.all();
  }

  // Activation and product are one kernel, which the network has as two operators (bias_activation_fusion).
  bool has_own_gates() const {
    const bool fused = shape_.activation == "silu" || shape_.activation == "gelu";
    return shape_.gated && fused && runs_megatron_layers(options_.framework);
  }

  bool is_gate(std::string_view name) const {
    return has_own_gates() && (ends_in(name, "mlp/" + shape_.activation) || ends_in(name, "mlp/gated") ||
                               ends_in(name, "mlp/shared/" + shape_.activation) || ends_in(name, "mlp/shared/gated"));
  }

  void add_gates(const Transformer& part, bool experts, const Prediction& prediction, Block& block) const {
    const std::int64_t positions = way_.micro_batch * length_;
    const auto add = [&](std::int64_t rows, std::int64_t width) {
      if (rows == 0 || width == 0) return;
      const MegatronKernels gate = megatron_gate(rows, width, gpu_, options_);
      add_kernels(gate.forward, prediction.host ? prediction.host->costs.forward : Seconds(0), block.forward);
      add_kernels(gate.backward, prediction.host ? prediction.host->costs.gradient : Seconds(0), block.backward);
    };
    if (!experts) return add(positions, part.ffn);
    add(picks_of(part), part.expert_ffn);
    add(positions, part.shared_ffn);
  }

  // That this GPU's experts take, with each micro-batch.
  std::int64_t picks_of(const Transformer& part) const {
    return way_.micro_batch * length_ * part.experts_per_token / part.routed_apart;
  }

  void add_expert_kernels(const Transformer& part, const Prediction& prediction, Block& block) const {
    // What was gathered, or came by DeepEP, is in the order of experts as soon as it is picked (token_dispatcher.py).
    const bool exchanged = way_.ep > 1 && way_.dispatcher == Dispatcher::nccl;
    const MegatronKernels around = megatron_experts(part, picks_of(part), exchanged, gpu_, options_);
    const Seconds call = prediction.host ? prediction.host->costs.dispatch : Seconds(0);
    add_kernels(around.forward, call * around.calls_forward, block.forward);
    add_kernels(around.backward, call * around.calls_backward, block.backward);
  }

  void add_kernels(const std::vector<PassKernel>& kernels, Seconds issuing, BlockPass& pass) const {
    for (const PassKernel& kernel : kernels) pass.computing += kernel.time;
    pass.issuing += issuing;
    if (detail_ == BlockDetail::kernels) pass.kernels.insert(pass.kernels.end(), kernels.begin(), kernels.end());
  }

  // After attention and after the MLP, or once after both.
  void exchange_layer(Block& block, bool experts) const {
    if (way_.tp > 1) {
      // Whose parts of the sequence go to the experts each for itself have nothing to exchange afterwards.
      const bool apart = experts && way_.routes_apart() && shape_.shared_ffn == 0;
      const int times = shape_.block == TransformerBlock::sequential && !apart ? 2 : 1;
      for (int i = 0; i < times; ++i) {
        reduce(block.forward);
        reduce(block.backward);
      }
    }
    if (way_.cp > 1) {
      // Keys and values of the whole text, of which each GPU has its part (ring attention, arXiv:2310.01889).
      const double width = 2.0 * static_cast<double>(std::max<std::int64_t>(1, shape_.kv_heads / way_.tp)) *
                           static_cast<double>(shape_.head_dim);
      const Bytes all = hidden_state_ * (width / static_cast<double>(shape_.hidden) * way_.cp);
      block.forward.exchanges.push_back({ParallelAxis::context, CollectiveKind::all_gather, all, true});
      block.backward.exchanges.push_back({ParallelAxis::context, CollectiveKind::all_gather, all, true});
      block.backward.exchanges.push_back({ParallelAxis::context, CollectiveKind::reduce_scatter, all, true});
    }
    if (way_.ep > 1 && experts) {
      if (way_.dispatcher == Dispatcher::gather) return gather_for_experts(block);
      // Tensor parallel GPUs that share the sequence each send their part of it (Megatron Core, token_dispatcher.py).
      const double copies = static_cast<double>(shape_.experts_per_token) / (way_.sequence_parallel ? way_.tp : 1);
      BlockExchange sent = {ParallelAxis::expert, CollectiveKind::all_to_all, hidden_state_ * copies};
      if (way_.dispatcher == Dispatcher::deepep) sent.copies = static_cast<int>(shape_.experts_per_token);
      for (BlockPass* pass : {&block.forward, &block.backward}) {
        pass->exchanges.push_back(sent);  // to the experts
        pass->exchanges.push_back(sent);  // and back
      }
    }
  }

  // Megatron Core, token_dispatcher.py: MoEAllGatherTokenDispatcher.
  void gather_for_experts(Block& block) const {
    const Bytes all = hidden_state_ * (static_cast<double>(way_.ep) / (way_.sequence_parallel ? way_.tp : 1));
    for (BlockPass* pass : {&block.forward, &block.backward}) {
      pass->exchanges.push_back({ParallelAxis::expert, CollectiveKind::all_gather, all});
      pass->exchanges.push_back({ParallelAxis::expert, CollectiveKind::reduce_scatter, all});
    }
  }

  void reduce(BlockPass& pass) const {
    if (!way_.sequence_parallel) {
      pass.exchanges.push_back({ParallelAxis::tensor, CollectiveKind::all_reduce, hidden_state_});
      return;
    }
    pass.exchanges.push_back({ParallelAxis::tensor, CollectiveKind::reduce_scatter, hidden_state_});
    pass.exchanges.push_back({ParallelAxis::tensor, CollectiveKind::all_gather, hidden_state_});
  }

  void exchange_ends(NetworkBlocks& blocks) const {
    if (way_.tp == 1 || shape_.vocab == 0) return;
    reduce(blocks.kinds.front().forward);
    if (shape_.head == TransformerHead::language_model) reduce(blocks.kinds.back().backward);
  }

  // A layer keeps its input alone, and runs forward again before its gradients.
  static void recompute(NetworkBlocks& blocks) {
    for (std::size_t i = 1; i + 1 < blocks.kinds.size(); ++i) {
      Block& block = blocks.kinds[i];
      block.backward.computing += block.forward.computing;
      block.backward.issuing += block.forward.issuing;
      block.backward.flops += block.forward.flops;
      block.backward.again += block.forward.flops;
      const auto& again = block.forward.exchanges;
      block.backward.exchanges.insert(block.backward.exchanges.end(), again.begin(), again.end());
      const auto& kernels = block.forward.kernels;
      block.backward.kernels.insert(block.backward.kernels.begin(), kernels.begin(), kernels.end());
    }
  }

  // What tensor parallel GPUs have each reduced and scattered is kept, what they gathered is not.
  static void gather_again(NetworkBlocks& blocks) {
    for (std::size_t i = 1; i + 1 < blocks.kinds.size(); ++i) {
      for (const BlockExchange& one : blocks.kinds[i].forward.exchanges) {
        const bool gathers = one.axis == ParallelAxis::tensor && one.kind == CollectiveKind::all_gather;
        if (gathers) blocks.kinds[i].backward.exchanges.push_back(one);
      }
    }
  }

  void lay_out(const Layers& kinds, NetworkBlocks& blocks) const {
    blocks.order.push_back(0);
    for (std::int64_t i = 0; i < shape_.layers; ++i) {
      std::size_t kind = 0;
      while (layer_of(shape_, kinds.firsts[kind]) != layer_of(shape_, i)) ++kind;
      blocks.order.push_back(kind + 1);
    }
    blocks.order.push_back(blocks.kinds.size() - 1);
    for (const std::size_t kind : blocks.order) blocks.weights += blocks.kinds[kind].weights;
  }

  void add_memory(Transformer part, const Prediction& prediction, NetworkBlocks& blocks) const {
    blocks.weight = blocks.gradient = size_of(trained_in({options_.precision, options_.autocast}));
    blocks.activations_first = prediction.memory.activations;
    if (way_.recompute == Recompute::full) {
      blocks.activations_next = blocks.boundary;
      return;
    }
    ++part.layers;
    const auto larger = built(part);
    if (!larger) return;
    const Bytes both = memory_of(run_as(*larger, options_, Phase::step), options_, Phase::step).activations;
    blocks.activations_next = std::max(both - blocks.activations_first, Bytes(0));
  }

  const Transformer& shape_;
  const Parallelism& way_;
  const Gpu& gpu_;
  PredictOptions options_;
  BlockDetail detail_;
  std::int64_t length_;
  Bytes hidden_state_;  // of a micro-batch
};

}  // namespace

Result<NetworkBlocks> transformer_blocks(const Transformer& shape, std::int64_t seq_len, const Parallelism& way,
                                         const Gpu& gpu, const PredictOptions& options, BlockDetail detail) {
  return TransformerBlocks(shape, seq_len, way, gpu, options, detail).make();
}

}  // namespace rooftile
