#include "rooftile/predict/training.hpp"

#include <algorithm>
#include <variant>

#include "rooftile/ops/pass_bytes.hpp"
#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/stream.hpp"

namespace rooftile {
namespace {

bool floating(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::int64:
    case DType::int32:
    case DType::int16:
    case DType::int8:
    case DType::boolean:
      return false;
    default:
      return true;
  }
}

LayerEstimate estimate_gradient_sum(const Tensor& tensor, const Gpu& gpu, const PredictOptions& options) {
  LayerEstimate layer = empty_layer("elementwise", Method::stream);
  layer.function = "add";
  layer.pass = Pass::bwd_data;
  layer.flops = Flops(elements(tensor.shape));
  PredictOptions own = options;
  own.framework.clear();
  const std::vector<StreamKernel> kernels = {gradient_sum(tensor)};
  add_stream(layer, total_bytes(kernels), kernels, gpu, own);
  return layer;
}

double weight_elements(const Workload& workload, const Op& op) {
  double count = 0;
  for (const TensorId id : op.inputs) {
    const Tensor& tensor = workload.tensors[id];
    if (tensor.constant && floating(tensor)) count += elements(tensor.shape);
  }
  return count;
}

class Step {
 public:
  Step(const Workload& workload, const Gpu& gpu, const PredictOptions& options)
      : workload_(workload),
        gpu_(gpu),
        options_(options),
        needed_(needs_gradient(workload)),
        readers_(workload.tensors.size()) {
    for (const Op& op : workload.ops) {
      for (const TensorId id : op.inputs) ++readers_[id];
    }
  }

  std::vector<LayerEstimate> run(Phase phase) {
    bool updates = phase == Phase::step;
    options_.training = phase != Phase::fwd;
    for (const Pass pass : passes_of(phase)) {
      if (pass == Pass::fwd) forward();
    }
    if (phase != Phase::fwd) backward(passes_of(phase));
    if (updates) update();
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
        layers_.push_back(estimate_gradient_sum(workload_.tensors[id], gpu_, options_));
        layers_.back().name = workload_.tensors[id].name;
      }
    }
  }

  void update() {
    for (const Op& op : workload_.ops) {
      const double weights = weight_elements(workload_, op);
      if (weights == 0) continue;
      layers_.push_back(estimate_update(weights, gpu_, options_));
      layers_.back().name = op.name;
    }
  }

  // Whether the op has that gradient: of weights, or of an input that itself depends on weights. Operators other than
  // convolutions and products have both in bwd_data.
  bool has(const Op& op, Pass pass) const {
    const auto* view = std::get_if<View>(&op.kind);
    if (view != nullptr && !is_dropout(*view)) return false;
    const bool data = std::any_of(op.inputs.begin(), op.inputs.end(),
                                  [&](TensorId id) { return needed_[id] && !workload_.tensors[id].constant; });
    const bool weights = weight_elements(workload_, op) > 0;
    const bool conv = std::holds_alternative<Conv>(op.kind), recurrent = std::holds_alternative<Recurrent>(op.kind);
    if (conv || recurrent) return pass == Pass::bwd_data ? data : weights;
    if (std::holds_alternative<Gemm>(op.kind)) {  // of two activations: a gradient for each
      const bool second = op.inputs.size() > 1 && needed_[op.inputs[1]];
      return pass == Pass::bwd_data ? needed_[op.inputs.front()] : weights || second;
    }
    return pass == Pass::bwd_data && (data || weights);
  }

  void add(const Op& op, Pass pass) {
    PredictOptions own = options_;
    own.pass = pass;
    layers_.push_back(estimate(workload_, op, gpu_, own));
  }

  const Workload& workload_;
  const Gpu& gpu_;
  PredictOptions options_;
  std::vector<bool> needed_;
  std::vector<std::size_t> readers_;  // of each tensor
  std::vector<LayerEstimate> layers_;
};

}  // namespace

std::vector<bool> needs_gradient(const Workload& workload) {
  std::vector<bool> needed(workload.tensors.size());
  for (std::size_t id = 0; id < needed.size(); ++id) {
    needed[id] = workload.tensors[id].constant && floating(workload.tensors[id]);
  }
  for (const Op& op : workload.ops) {
    const bool any = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return needed[id]; });
    for (const TensorId id : op.outputs) needed[id] = any && floating(workload.tensors[id]);
  }
  return needed;
}

std::vector<LayerEstimate> estimate_phase(const Workload& workload, const Gpu& gpu, const PredictOptions& options,
                                          Phase phase) {
  return Step(workload, gpu, options).run(phase);
}

LayerEstimate estimate_update(double weights, const Gpu& gpu, const PredictOptions& options) {
  LayerEstimate layer = empty_layer("update", Method::stream);
  layer.pass = Pass::bwd_weight;
  layer.flops = Flops(2 * weights);
  const Bytes element = size_of(options.precision);
  const OperandBytes bytes = {element * (2 * weights), element * weights};
  const StreamWork work{.operations = layer.flops.value()};
  PredictOptions own = options;
  own.framework.clear();  // part of a call whose harness is counted already
  add_stream(layer, bytes, {flat_kernel(bytes.read, bytes.write, weights, work)}, gpu, own);
  return layer;
}

}  // namespace rooftile
