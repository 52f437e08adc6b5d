// How a training step is spread over GPUs: the degrees whose product is their number.
//
// GPUs are numbered as Megatron does: tensor parallel neighbours first, then context, data and pipeline parallel ones
// (Narayanan et al., SC21, arXiv:2104.04473, section 3.4). Experts are spread over the GPUs of a stage in an order of
// their own: those that share an expert's matrices first, then those that have different experts (Megatron Core,
// parallel_state.py, expert_decoder_rank_generator).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/execution/recompute.hpp"

namespace rooftile {

// What data parallel GPUs share instead of each having all of it (Rajbhandari et al., ZeRO, SC20, arXiv:1910.02054).
enum class Sharding {
  none,
  optimizer,  // ZeRO-1: what the optimiser keeps
  gradients,  // ZeRO-2: and gradients
  all,        // ZeRO-3, FSDP: and weights, which are gathered when they are needed
};
std::string_view name_of(Sharding sharding);  // "none", "optimizer", "gradients", "all"
std::vector<std::string> sharding_names();
std::optional<Sharding> parse_sharding(std::string_view name);  // also "zero1", "fsdp", "full_shard", …

// What the host keeps in its memory in place of the GPU.
enum class Offload {
  none,
  optimizer,    // ZeRO-Offload (Ren et al., ATC 2021): gradients and what the optimiser keeps, which the host updates
  activations,  // of layers, from their forward to their backward pass
  all,
};
std::string_view name_of(Offload offload);  // "none", "optimizer", "activations", "all"
std::vector<std::string> offload_names();
std::optional<Offload> parse_offload(std::string_view name);

// How positions get to the experts of several GPUs.
enum class Dispatcher {
  nccl,    // an all-to-all: once for every expert that they pick
  deepep,  // once to each GPU and, over a network, to each node (DeepEP, csrc/kernels/internode.cu; HybridEP)
  gather,  // all positions to all GPUs, whose sums are reduced and scattered (vLLM, allgather_reducescatter)
};
std::string_view name_of(Dispatcher dispatcher);  // "nccl", "deepep", "gather"
std::vector<std::string> dispatcher_names();
std::optional<Dispatcher> parse_dispatcher(std::string_view name);  // also "alltoall", "hybridep", "allgather"

struct Parallelism {
  int tp = 1, pp = 1, dp = 1, cp = 1;
  int ep = 1;   // GPUs of a stage that share the experts
  int etp = 0;  // that share each expert's matrices: as many as tp unless given, or 1: each GPU has whole experts
  int vp = 1;   // parts of the network that each pipeline stage has (interleaved schedule)
  Sharding sharding = Sharding::none;
  bool sequence_parallel = false;  // tensor parallel GPUs share norms and dropout, too (Korthikanti et al., 2022)
  std::int64_t micro_batch = 1;    // samples
  std::int64_t micro_batches = 1;  // that each data parallel replica computes before the update
  Recompute recompute = Recompute::none;
  Offload offload = Offload::none;
  Dispatcher dispatcher = Dispatcher::nccl;

  int gpus() const { return tp * pp * dp * cp; }
  int expert_tp() const { return etp > 0 ? etp : tp; }
  // Tensor parallel GPUs route their parts of the sequence each for itself.
  bool routes_apart() const { return expert_tp() < tp; }
  // GPUs with the same experts.
  int expert_replicas() const { return tp * cp * dp / (expert_tp() * ep); }
  bool offloads_optimizer() const { return offload == Offload::optimizer || offload == Offload::all; }
  bool offloads_activations() const { return offload >= Offload::activations; }
  std::int64_t batch() const { return micro_batch * micro_batches * dp; }

  bool operator==(const Parallelism&) const = default;
};

// "tp 8, pp 4, dp 2, ZeRO optimizer": what is not 1 or none; "one GPU".
std::string print(const Parallelism& way);

// Degrees and batches from 1 on, experts that divide a stage's GPUs, stages that interleave evenly. The error names the
// degree.
Result<void> check(const Parallelism& way);

}  // namespace rooftile
