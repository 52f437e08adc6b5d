#include "rooftile/parallel/block_passes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rooftile/predict/host.hpp"

namespace rooftile {

void BlockPasses::add(std::size_t block, const LayerEstimate& layer, double share) {
  if (block == kNone) return;
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  Layers& to = blocks_[block];
  const bool forward = layer.part == StepPart::forward;
  std::vector<LayerEstimate>& pass = forward ? to.forward : to.backward;
  LayerEstimate& added = pass.emplace_back();
  added.op = layer.op, added.function = layer.function;  // all that the host's time depends on
  added.part = layer.part, added.pass = layer.pass, added.general = layer.general;
  added.kernels = layer.kernels;
  added.time = layer.time * share;
  added.flops = layer.flops * share;
  if (detail_ == BlockDetail::times || !(layer.time > Seconds(0))) return;
  for (PassKernel& kernel : pass_kernels(layer, prediction_.precision, gpu_)) {
    kernel.time *= share, kernel.flops *= share, kernel.dram *= share;
    (forward ? to.forward_kernels : to.backward_kernels).push_back(std::move(kernel));
  }
}

BlockPass BlockPasses::pass_of(const std::vector<LayerEstimate>& layers) const {
  BlockPass pass;
  for (const LayerEstimate& layer : layers) {
    pass.computing += layer.time;
    pass.flops += layer.flops;
    if (layer.part == StepPart::backward && layer.pass == Pass::fwd) pass.again += layer.flops;
  }
  if (prediction_.host) pass.issuing = host_share(layers, prediction_.host->costs).issuing;
  return pass;
}

void BlockPasses::finish(std::size_t count, NetworkBlocks& blocks) const {
  blocks.kinds.resize(count);
  for (std::size_t i = 0; i < std::min(count, blocks_.size()); ++i) {
    blocks.kinds[i].forward = pass_of(blocks_[i].forward);
    blocks.kinds[i].backward = pass_of(blocks_[i].backward);
    blocks.kinds[i].forward.kernels = blocks_[i].forward_kernels;
    blocks.kinds[i].backward.kernels = blocks_[i].backward_kernels;
  }
  if (prediction_.host) blocks.host_call = prediction_.host->costs.forward;
  if (const auto interval = interval_of(prediction_)) {
    blocks.spread = std::sqrt(interval->high / interval->low);
  }
}

}  // namespace rooftile
