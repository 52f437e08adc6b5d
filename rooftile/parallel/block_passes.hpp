// Layers of a prediction gathered into blocks.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "rooftile/parallel/blocks.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

class BlockPasses {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // All of which must outlive this.
  BlockPasses(const Prediction& prediction, const Gpu& gpu, BlockDetail detail)
      : prediction_(prediction), gpu_(gpu), detail_(detail) {}

  // A layer of the forward or the backward pass, with that share of its time; of no block: nothing happens.
  void add(std::size_t block, const LayerEstimate& layer, double share = 1);

  // As many blocks as were asked for, the costs of a call and the spread of the times.
  void finish(std::size_t count, NetworkBlocks& blocks) const;

 private:
  struct Layers {
    std::vector<LayerEstimate> forward, backward;
    std::vector<PassKernel> forward_kernels, backward_kernels;
  };

  BlockPass pass_of(const std::vector<LayerEstimate>& layers) const;

  const Prediction& prediction_;
  const Gpu& gpu_;
  BlockDetail detail_;
  std::vector<Layers> blocks_;
};

}  // namespace rooftile
