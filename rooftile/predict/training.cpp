#include "rooftile/predict/training.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/predict/alike.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/stream.hpp"

namespace rooftile {
namespace {

LayerEstimate estimate_gradient_sum(const Tensor& tensor, const Gpu& gpu, const PredictOptions& options,
                                    RefinedModels& models) {
  LayerEstimate layer = empty_layer("elementwise", Method::stream);
  layer.function = "add";
  layer.pass = Pass::bwd_data;
  layer.flops = Flops(elements(tensor.shape));
  layer.output = tensor.shape;
  PredictOptions own = options;
  own.framework.clear();
  const std::vector<StreamKernel> kernels = {gradient_sum(tensor)};
  add_stream(layer, total_bytes(kernels), kernels, gpu, own, models);
  return layer;
}

// The weights of an op that an optimiser updates: of a batch normalisation scale and shift, not the statistics.
std::vector<TensorId> weights_of(const Workload& workload, const Op& op) {
  constexpr std::size_t kBeforeStatistics = 3;  // data, scale, shift
  const auto* norm = std::get_if<Normalize>(&op.kind);
  const bool statistics = norm != nullptr && norm->function == "batch";
  const std::size_t count = statistics ? std::min(kBeforeStatistics, op.inputs.size()) : op.inputs.size();
  std::vector<TensorId> ids;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& tensor = workload.tensors[op.inputs[i]];
    if (tensor.constant && is_floating(tensor.dtype)) ids.push_back(op.inputs[i]);
  }
  return ids;
}

constexpr std::size_t kPasses = 3;

class Step {
 public:
  Step(const Workload& workload, const Gpu& gpu, const PredictOptions& options)
      : workload_(workload),
        gpu_(gpu),
        options_(options),
        needed_(needs_gradient(workload)),
        readers_(workload.tensors.size()),
        alike_(first_alike(workload)),
        estimated_(workload.ops.size()) {
    for (const Op& op : workload.ops) {
      for (const TensorId id : op.inputs) ++readers_[id];
    }
  }

  std::vector<LayerEstimate> run(Phase phase) {
    options_.training = phase != Phase::fwd;
    if (passes_of(phase).front() == Pass::fwd) forward();
    if (phase != Phase::fwd) backward(passes_of(phase));
    if (phase == Phase::step) update();
    return std::move(layers_);
  }

 private:
  void forward() {
    for (const Op& op : workload_.ops) add(op, Pass::fwd);
  }

  void backward(std::span<const Pass> passes) {
    const bool data = std::find(passes.begin(), passes.end(), Pass::bwd_data) != passes.end();
    for (auto op = workload_.ops.rbegin(); op != workload_.ops.rend(); ++op) {
      if (data) add_sums(*op);
      for (const Pass pass : passes) {
        if (pass != Pass::fwd && has(*op, pass)) add(*op, pass);
      }
    }
  }

  // Of the gradients that the readers of a result sent back.
  void add_sums(const Op& op) {
    for (const TensorId id : op.outputs) {
      if (!needed_[id]) continue;
      for (std::size_t i = 1; i < readers_[id]; ++i) {
        layers_.push_back(estimate_gradient_sum(workload_.tensors[id], gpu_, options_, models_));
        layers_.back().name = workload_.tensors[id].name + (i == 1 ? ".sum" : fmt::format(".sum{}", i));
      }
    }
  }

  void update() {
    std::vector<bool> updated(workload_.tensors.size());  // weights that layers share are updated once
    for (const Op& op : workload_.ops) {
      double weights = 0;
      for (const TensorId id : weights_of(workload_, op)) {
        if (!updated[id]) weights += elements(workload_.tensors[id].shape);
        updated[id] = true;
      }
      if (weights == 0) continue;
      layers_.push_back(estimate_update(weights, gpu_, options_, models_));
      layers_.back().name = op.name + ".update";
    }
  }

  // Whether the op has that gradient: of weights, or of an input that itself depends on weights. Operators other than
  // convolutions and products have both in bwd_data.
  bool has(const Op& op, Pass pass) const {
    const auto* view = std::get_if<View>(&op.kind);
    if (view != nullptr && !is_dropout(*view)) return false;
    const bool data = std::any_of(op.inputs.begin(), op.inputs.end(),
                                  [&](TensorId id) { return needed_[id] && !workload_.tensors[id].constant; });
    const bool weights = !weights_of(workload_, op).empty();
    if (std::holds_alternative<Conv>(op.kind)) return pass == Pass::bwd_data ? data : weights;
    // The gradient goes back through the steps whether or not the input needs one.
    if (std::holds_alternative<Recurrent>(op.kind)) return pass == Pass::bwd_data ? data || weights : weights;
    if (std::holds_alternative<Gemm>(op.kind)) {  // of two activations: a gradient for each
      const bool second = op.inputs.size() > 1 && needed_[op.inputs[1]];
      return pass == Pass::bwd_data ? needed_[op.inputs.front()] : weights || second;
    }
    return pass == Pass::bwd_data && (data || weights);
  }

  // Ops that are alike are estimated once.
  void add(const Op& op, Pass pass) {
    const auto place = static_cast<std::size_t>(&op - workload_.ops.data());
    std::optional<std::size_t>& known = estimated_[alike_[place]][static_cast<std::size_t>(pass)];
    if (known) {
      LayerEstimate layer = layers_[*known];
      layer.name = op.name;
      layers_.push_back(std::move(layer));
      return;
    }
    known = layers_.size();
    PredictOptions own = options_;
    own.pass = pass;
    layers_.push_back(estimate(workload_, op, gpu_, own, models_));
  }

  const Workload& workload_;
  const Gpu& gpu_;
  PredictOptions options_;
  std::vector<bool> needed_;
  std::vector<std::size_t> readers_;  // of each tensor
  std::vector<std::size_t> alike_;    // of each op the first one that is like it
  // Of the first ones: the place of their layer, by pass.
  std::vector<std::array<std::optional<std::size_t>, kPasses>> estimated_;
  RefinedModels models_;
  std::vector<LayerEstimate> layers_;
};

}  // namespace

std::vector<bool> needs_gradient(const Workload& workload) {
  std::vector<bool> needed(workload.tensors.size());
  for (std::size_t id = 0; id < needed.size(); ++id) {
    needed[id] = workload.tensors[id].constant && is_floating(workload.tensors[id].dtype);
  }
  for (const Op& op : workload.ops) {
    const bool any = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return needed[id]; });
    for (const TensorId id : op.outputs) needed[id] = any && is_floating(workload.tensors[id].dtype);
  }
  return needed;
}

std::vector<LayerEstimate> estimate_phase(const Workload& workload, const Gpu& gpu, const PredictOptions& options,
                                          Phase phase) {
  return Step(workload, gpu, options).run(phase);
}

LayerEstimate estimate_update(double weights, const Gpu& gpu, const PredictOptions& options) {
  RefinedModels models;
  return estimate_update(weights, gpu, options, models);
}

LayerEstimate estimate_update(double weights, const Gpu& gpu, const PredictOptions& options, RefinedModels& models) {
  LayerEstimate layer = empty_layer("update", Method::stream);
  layer.pass = Pass::bwd_weight;
  layer.flops = Flops(2 * weights);
  layer.output = {static_cast<std::int64_t>(weights)};
  const Bytes element = size_of(options.precision);
  const OperandBytes bytes = {element * (2 * weights), element * weights};
  const StreamWork work{.operations = layer.flops.value()};
  PredictOptions own = options;
  own.framework.clear();  // part of a call whose harness is counted already
  add_stream(layer, bytes, {flat_kernel(bytes.read, bytes.write, weights, work)}, gpu, own, models);
  return layer;
}

}  // namespace rooftile
