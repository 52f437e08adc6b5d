// What the passes of blocks and the update take on a GPU of a way: kernels, and the exchanges between them.
#pragma once

#include <algorithm>
#include <vector>

#include "rooftile/collectives/collective_time.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/parallel/blocks.hpp"
#include "rooftile/parallel/parallel_step.hpp"
#include "rooftile/parallel/step_timeline.hpp"

namespace rooftile {

// A direction of a block, its exchanges included.
struct PassTime {
  Seconds computing, issuing, exchanging;
  Seconds total() const { return std::max(computing + exchanging, issuing); }
};

class PassTimes {
 public:
  // All of which must outlive this.
  PassTimes(const NetworkBlocks& blocks, const Parallelism& way, const GpuCluster& cluster, const Gpu& gpu,
            const ParallelOptions& options)
      : blocks_(blocks), way_(way), cluster_(cluster), gpu_(gpu), options_(options) {}

  PassTime forward(const Block& block) const { return time_of(block.forward); }
  PassTime backward(const Block& block) const;  // with the sum of its gradients and those before
  Seconds update(double weights) const { return update_kernel(weights).time; }

  Seconds exchange(CollectiveKind kind, Bytes bytes, const Group& group, int copies = 1) const;

  // The same as kernels and exchanges, which stand evenly between the kernels: blocks do not say where.
  std::vector<StepPiece> forward_pieces(const Block& block) const { return pieces(block.forward, {}); }
  std::vector<StepPiece> backward_pieces(const Block& block) const;
  PassKernel update_kernel(double weights) const;

  // Of a weight's gradient, as it is exchanged.
  Bytes gradient() const { return options_.style.wide_gradients ? Bytes(4) : blocks_.gradient; }

 private:
  PassTime time_of(const BlockPass& pass) const;
  Seconds time_of(const BlockPass& pass, const BlockExchange& one) const;
  Group group_of_axis(ParallelAxis axis) const;
  double loss() const;
  PassKernel adding_up(double weights) const;
  std::vector<StepPiece> pieces(const BlockPass& pass, const PassKernel& after) const;

  const NetworkBlocks& blocks_;
  const Parallelism& way_;
  const GpuCluster& cluster_;
  const Gpu& gpu_;
  const ParallelOptions& options_;
};

}  // namespace rooftile
