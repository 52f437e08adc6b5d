#include <string>
#include <string_view>
#include <unordered_map>

#include "rooftile/base/try.hpp"
#include "rooftile/parallel/block_passes.hpp"
#include "rooftile/parallel/blocks.hpp"

namespace rooftile {
namespace {

// Each weight counts where it is first read.
class OpBlocks {
 public:
  explicit OpBlocks(const Workload& run) {
    std::vector<bool> seen(run.tensors.size());
    weights_.push_back(0);
    for (const Op& op : run.ops) {
      double weights = 0;
      for (const TensorId id : op.inputs) {
        const Tensor& tensor = run.tensors[id];
        if (!tensor.constant || !is_floating(tensor.dtype) || seen[id]) continue;
        seen[id] = true;
        weights += elements(tensor.shape);
      }
      if (weights > 0 && weights_.back() > 0) weights_.push_back(0);
      weights_.back() += weights;
      blocks_.emplace(op.name, weights_.size() - 1);
    }
  }

  // Of a layer that is no op of its own, as the sum of two gradients: that of the layer before.
  std::size_t of(const std::string& name, std::size_t before) const {
    const auto found = blocks_.find(name);
    return found == blocks_.end() ? before : found->second;
  }

  const std::vector<double>& weights() const { return weights_; }

 private:
  std::unordered_map<std::string_view, std::size_t> blocks_;
  std::vector<double> weights_;
};

}  // namespace

Result<NetworkBlocks> layer_blocks(const Workload& workload, const Gpu& gpu, const PredictOptions& options,
                                   BlockDetail detail) {
  const Prediction prediction = TRY(predict(workload, gpu, options, Phase::step));
  const Workload run = run_as(workload, options, Phase::step);
  const OpBlocks ops(run);
  BlockPasses passes(prediction, gpu, detail);
  std::size_t block = 0;
  for (const LayerEstimate& layer : prediction.layers) {
    block = ops.of(layer.name, block);
    if (!is_update(layer)) passes.add(block, layer);
  }
  NetworkBlocks blocks;
  passes.finish(ops.weights().size(), blocks);
  for (std::size_t i = 0; i < blocks.kinds.size(); ++i) {
    blocks.kinds[i].weights.shared = ops.weights()[i];
    blocks.weights += blocks.kinds[i].weights;
    blocks.order.push_back(i);
  }
  blocks.weight = blocks.gradient = size_of(trained_in({options.precision, options.autocast}));
  blocks.activations_first = prediction.memory.activations;
  return blocks;
}

}  // namespace rooftile
