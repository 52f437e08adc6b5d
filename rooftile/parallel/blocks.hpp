// A network as a sequence of blocks, with what each takes on one GPU: what schedules are made of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/collectives/collective.hpp"
#include "rooftile/execution/parallelism.hpp"
#include "rooftile/parallel/pass_kernel.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

// GPUs that exchange something within a block.
enum class ParallelAxis { tensor, context, expert };

struct BlockExchange {
  ParallelAxis axis = ParallelAxis::tensor;
  CollectiveKind kind = CollectiveKind::all_reduce;
  Bytes bytes;
  bool hidden = false;  // behind what is computed meanwhile, as far as that lasts
  int copies = 1;       // Collective
};

// One direction of a micro-batch.
struct BlockPass {
  Seconds computing;  // of the GPU
  Seconds issuing;    // of the host
  std::vector<BlockExchange> exchanges = {};
  Flops flops = {};
  Flops again = {};                      // of these, for what was computed before
  std::vector<PassKernel> kernels = {};  // that compute, where they were asked for
};

// Numbers that a GPU holds, whose gradients it exchanges.
struct HeldWeights {
  double shared = 0;   // with all data and context parallel GPUs
  double experts = 0;  // of experts: with Parallelism::expert_replicas()

  double all() const { return shared + experts; }
  HeldWeights& operator+=(const HeldWeights& other) {
    shared += other.shared, experts += other.experts;
    return *this;
  }
};

struct Block {
  std::string name;
  BlockPass forward, backward;
  HeldWeights weights;  // of this GPU
};

struct NetworkBlocks {
  std::vector<Block> kinds;        // the first and the last of a transformer: embedding and head
  std::vector<std::size_t> order;  // of the whole network, by kind
  bool even = false;               // all replicas take as long: texts packed to one length, no router
  Bytes boundary;                  // what a micro-batch hands on from one block to the next
  Bytes weight, gradient;          // size of one
  HeldWeights weights;             // of the whole network, as one GPU has its slices
  Bytes activations_first;         // that a micro-batch keeps with one block,
  Bytes activations_next;          // and with each further one
  double tied = 0;                 // weights of the head that are those of the embedding
  Seconds host_call;               // of one call
  std::optional<double> spread;    // 90 % of computing, either way; none where a kernel has no interval
};

// Whether blocks list their kernels: searches need none, timelines do.
enum class BlockDetail { times, kernels };

// A transformer, which passed check(), at the micro-batch and text length: of the GPU's slice. Errors: those of slice()
// and predict().
Result<NetworkBlocks> transformer_blocks(const Transformer& shape, std::int64_t seq_len, const Parallelism& way,
                                         const Gpu& gpu, const PredictOptions& options,
                                         BlockDetail detail = BlockDetail::times);

// Any other network at its batch size: a block for each layer that has weights. Errors: those of predict().
Result<NetworkBlocks> layer_blocks(const Workload& workload, const Gpu& gpu, const PredictOptions& options,
                                   BlockDetail detail = BlockDetail::times);

}  // namespace rooftile
