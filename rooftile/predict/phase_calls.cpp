#include "rooftile/predict/phase_calls.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rooftile/execution/framework.hpp"
#include "rooftile/ops/work.hpp"
#include "rooftile/predict/alike.hpp"
#include "rooftile/predict/captured.hpp"
#include "rooftile/predict/host.hpp"
#include "rooftile/predict/reuse.hpp"

namespace rooftile {
namespace {

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
  Step(const Workload& workload, const PredictOptions& options)
      : workload_(workload),
        options_(options),
        needed_(needs_gradient(workload)),
        readers_(workload.tensors.size()),
        alike_(first_alike(workload)),
        ages_(epilogue_ages(workload)),
        made_(workload.ops.size()),
        parts_(recomputed_parts(workload, options.recompute)),
        part_ending_(workload.ops.size()) {
    part_alike_by_age();
    for (const RecomputedPart& part : parts_) part_ending_[part.back()] = &part;
    for (const Op& op : workload.ops) {
      if (!gives_gradient(op)) continue;
      for (const TensorId id : op.inputs) ++readers_[id];
    }
  }

  PhaseCalls run(Phase phase) {
    options_.training = in_training_mode(options_, phase);
    if (passes_of(phase).front() == Pass::fwd) forward();
    part_ = StepPart::backward;
    if (phase != Phase::fwd) backward(passes_of(phase));
    part_ = StepPart::update;
    if (phase == Phase::step) update();
    return std::move(step_);
  }

 private:
  // Products that differ in how long ago their residuals were used are not alike.
  void part_alike_by_age() {
    std::map<std::pair<std::size_t, Bytes>, std::size_t> firsts;
    for (std::size_t i = 0; i < alike_.size(); ++i) {
      if (ages_[i] > Bytes(0)) alike_[i] = firsts.try_emplace({alike_[i], ages_[i]}, i).first->second;
    }
  }

  void forward() {
    for (const Op& op : workload_.ops) add(op, Pass::fwd);
  }

  void backward(std::span<const Pass> passes) {
    const bool data = std::find(passes.begin(), passes.end(), Pass::bwd_data) != passes.end();
    for (std::size_t i = workload_.ops.size(); i-- > 0;) {
      const Op& op = workload_.ops[i];
      if (const RecomputedPart* part = part_ending_[i]) {
        for (const std::size_t again : *part) add(workload_.ops[again], Pass::fwd, ".recomputed");
      }
      if (data) add_sums(op);
      if (data && is_narrow_float(options_.precision) && scales_fp8_at_once(options_.framework)) convert_gradient(op);
      for (const Pass pass : passes) {
        if (pass != Pass::fwd && has(op, pass)) add(op, pass);
        if (pass == Pass::bwd_weight) add_bias_gradient(op);
      }
      if (options_.micro_batches > 1) {
        accumulate(op);
      } else if (kernels_of(options_) == Execution::eager && keeps_gradients(options_.framework)) {
        add_to_zeros(op);
      }
    }
  }

  // Of a product of narrow operands: its dY, for both gradients.
  void convert_gradient(const Op& op) {
    const bool narrow = std::holds_alternative<Gemm>(op.kind) || std::holds_alternative<Conv>(op.kind);
    if (!narrow || workload_.tensors[op.inputs.front()].dtype != options_.precision) return;
    const Tensor& tensor = workload_.tensors[op.outputs.front()];
    std::optional<std::size_t>& known = converted_[elements(tensor.shape)];
    if (!known) known = make(converted_gradient_call(tensor, options_));
    run_call(*known, op.name + ".gradient.cast", tensor.shape);
  }

  // Of a product: its dY summed up over the rows, in a kernel of its own.
  void add_bias_gradient(const Op& op) {
    const auto* gemm = std::get_if<Gemm>(&op.kind);
    if (gemm == nullptr || !gemm->bias || !needed_[op.inputs.back()]) return;
    std::optional<std::size_t>& known = biases_[alike_[static_cast<std::size_t>(&op - workload_.ops.data())]];
    if (!known) {
      const Op sum = {op.name, Reduce{"bias"}, {op.outputs.front()}, {op.inputs.back()}};
      PredictOptions own = options_;
      own.pass = Pass::fwd;
      known = make(call_of(workload_, sum, own));
    }
    run_call(*known, op.name + ".bias", workload_.tensors[op.inputs.back()].shape);
  }

  // Adds the gradients of weights to those of the micro-batches before.
  void accumulate(const Op& op) {
    if (!gives_gradient(op)) return;
    for (const TensorId id : weights_of(workload_, op)) {
      run_call(sum_of_gradients(workload_.tensors[id]), workload_.tensors[id].name + ".accumulate",
               workload_.tensors[id].shape);
    }
  }

  // Adds them to the zeros that zero_grad() wrote.
  void add_to_zeros(const Op& op) {
    for (const TensorId id : weights_of(workload_, op)) {
      const Tensor& tensor = workload_.tensors[id];
      std::optional<std::size_t>& known = kept_[{tensor.dtype, elements(tensor.shape)}];
      if (!known) known = make(kept_gradient_call(tensor, options_));
      run_call(*known, tensor.name + ".grad", tensor.shape);
    }
  }

  std::size_t sum_of_gradients(const Tensor& tensor) {
    std::optional<std::size_t>& known = sums_[{tensor.dtype, elements(tensor.shape)}];
    if (!known) known = make(gradient_sum_call(tensor, options_));
    return *known;
  }

  // Of the gradients that the readers of a result sent back.
  void add_sums(const Op& op) {
    for (const TensorId id : op.outputs) {
      if (!needed_[id]) continue;
      for (std::size_t i = 1; i < readers_[id]; ++i) {
        const Tensor& tensor = workload_.tensors[id];
        run_call(sum_of_gradients(tensor), tensor.name + (i == 1 ? ".sum" : fmt::format(".sum{}", i)), tensor.shape);
      }
    }
  }

  void update() {
    if (options_.clip_gradients) clip();
    std::vector<bool> updated(workload_.tensors.size());  // weights that layers share are updated once
    for (const Op& op : workload_.ops) {
      double weights = 0;
      for (const TensorId id : weights_of(workload_, op)) {
        if (!updated[id]) weights += elements(workload_.tensors[id].shape);
        updated[id] = true;
      }
      if (weights == 0) continue;
      std::optional<std::size_t>& known = updates_[weights];
      if (!known) known = make(update_call(weights, options_));
      run_call(*known, op.name + ".update", step_.calls[*known].output);
    }
  }

  void clip() {
    double weights = 0;
    for (const Tensor& tensor : workload_.tensors) {
      if (tensor.constant && is_floating(tensor.dtype)) weights += elements(tensor.shape);
    }
    if (weights == 0) return;
    const std::size_t call = make(clip_call(weights, options_));
    run_call(call, "gradients.clip", step_.calls[call].output);
  }

  bool gives_gradient(const Op& op) const {
    return std::any_of(op.outputs.begin(), op.outputs.end(), [&](TensorId id) { return needed_[id]; });
  }

  // Whether the op has that gradient: of weights, or of an input that itself depends on weights. Operators other than
  // convolutions and products have both in bwd_data.
  bool has(const Op& op, Pass pass) const {
    if (!gives_gradient(op)) return false;
    const auto* view = std::get_if<View>(&op.kind);
    if (view != nullptr && !is_dropout(*view)) return false;
    const bool data = std::any_of(op.inputs.begin(), op.inputs.end(),
                                  [&](TensorId id) { return needed_[id] && !workload_.tensors[id].constant; });
    const bool weights = !weights_of(workload_, op).empty();
    if (std::holds_alternative<Conv>(op.kind)) {  // the first input is data, the others are weights, maybe cast
      const bool first = needed_[op.inputs.front()] && !workload_.tensors[op.inputs.front()].constant;
      const bool others = std::any_of(op.inputs.begin() + 1, op.inputs.end(), [&](TensorId id) { return needed_[id]; });
      return pass == Pass::bwd_data ? first : weights || others;
    }
    // The gradient goes back through the steps whether or not the input needs one.
    if (std::holds_alternative<Recurrent>(op.kind)) return pass == Pass::bwd_data ? data || weights : weights;
    if (std::holds_alternative<Gemm>(op.kind)) {  // of two activations: a gradient for each
      const bool second = op.inputs.size() > 1 && needed_[op.inputs[1]];
      return pass == Pass::bwd_data ? needed_[op.inputs.front()] : weights || second;
    }
    return pass == Pass::bwd_data && (data || weights);
  }

  void add(const Op& op, Pass pass, const char* suffix = "") {
    const auto place = static_cast<std::size_t>(&op - workload_.ops.data());
    std::optional<std::size_t>& known = made_[alike_[place]][static_cast<std::size_t>(pass)];
    if (!known) {
      PredictOptions own = options_;
      own.pass = pass;
      known = make(call_of(workload_, op, own));
      step_.calls.back().epilogue_age = ages_[place];
    }
    run_call(*known, op.name + suffix, workload_.tensors[op.outputs.front()].shape);
    step_.layers.back().members = op.members;
  }

  std::size_t make(LayerCall call) {
    step_.calls.push_back(std::move(call));
    return step_.calls.size() - 1;
  }
  void run_call(std::size_t call, std::string name, const Shape& output) {
    step_.layers.push_back({.call = call,
                            .name = std::move(name),
                            .output = output,
                            .part = part_,
                            .issue = issue_of(step_.calls[call], part_, false)});
  }

  const Workload& workload_;
  PredictOptions options_;
  std::vector<bool> needed_;
  std::vector<std::size_t> readers_;  // of each tensor
  std::vector<std::size_t> alike_;    // of each op the first one that is like it
  std::vector<Bytes> ages_;           // epilogue_ages()
  // Places of calls made already: of the first ones by pass, of sums of gradients, of updates by weights, of
  // gradients of biases by their products.
  std::vector<std::array<std::optional<std::size_t>, kPasses>> made_;
  std::map<std::pair<DType, double>, std::optional<std::size_t>> sums_;
  std::map<std::pair<DType, double>, std::optional<std::size_t>> kept_;
  std::map<double, std::optional<std::size_t>> updates_, converted_;
  std::map<std::size_t, std::optional<std::size_t>> biases_;
  std::vector<RecomputedPart> parts_;
  std::vector<const RecomputedPart*> part_ending_;  // at each op
  StepPart part_ = StepPart::forward;
  PhaseCalls step_;
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

bool in_training_mode(const PredictOptions& options, Phase phase) {
  return phase != Phase::fwd || trains_unless_told(options.framework);
}

Bytes pass_bytes(const Workload& workload, Phase phase) {
  if (phase != Phase::fwd) return {};
  std::vector<bool> made(workload.tensors.size());
  Bytes largest, lasting;
  for (const Op& op : workload.ops) {
    Bytes used;
    for (const TensorId id : op.inputs) {
      if (!workload.tensors[id].constant) used += size_of(workload.tensors[id]);
    }
    for (const TensorId id : op.outputs) {
      used += size_of(workload.tensors[id]);
      made[id] = true;
    }
    largest = std::max(largest, used);
  }
  for (std::size_t id = 0; id < made.size(); ++id) {
    if (!made[id]) lasting += size_of(workload.tensors[id]);
  }
  return lasting + largest;
}

namespace {

void set_order(PhaseCalls& step) {
  std::vector<std::vector<std::uint32_t>> known(step.calls.size());  // of the firsts with the call
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    const PhaseCalls::Layer& layer = step.layers[i];
    std::vector<std::uint32_t>& of_call = known[layer.call];
    const auto found = std::find_if(of_call.begin(), of_call.end(), [&](std::uint32_t first) {
      const PhaseCalls::Layer& other = step.layers[step.firsts[first]];
      return other.part == layer.part && other.general == layer.general;
    });
    if (found != of_call.end()) {
      step.order.push_back(*found);
      continue;
    }
    step.order.push_back(static_cast<std::uint32_t>(step.firsts.size()));
    of_call.push_back(step.order.back());
    step.firsts.push_back(i);
  }
}

}  // namespace

PhaseCalls phase_calls(const Workload& workload, const PredictOptions& options, Phase phase) {
  PredictOptions own = options;
  own.pass_bytes = pass_bytes(workload, phase);
  PhaseCalls step = workload.captured ? captured_calls(workload, own, phase) : Step(workload, own).run(phase);
  if (!options.breakdown) set_order(step);
  return step;
}

std::vector<LayerEstimate> estimate_phase(const PhaseCalls& step, const Gpu& gpu, RefinedModels& models) {
  const bool all = step.order.empty();
  const std::size_t count = all ? step.layers.size() : step.firsts.size();
  std::vector<std::optional<std::size_t>> estimated(step.calls.size());
  std::vector<LayerEstimate> layers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PhaseCalls::Layer& of = step.layers[all ? i : step.firsts[i]];
    const LayerCall& call = step.calls[of.call];
    LayerEstimate& layer = layers[i];
    std::optional<std::size_t>& known = estimated[of.call];
    if (known) {
      layer = layers[*known];
    } else {
      known = i;
      estimate_new(call, gpu, models, layer);
      layer.op = call.op;  // by which errors add up; without a breakdown the other texts stay empty
    }
    layer.part = of.part;
    layer.general = of.general;
    layer.issue = layer.kernels == 0 ? Issue::nothing : of.issue;
    layer.call = static_cast<std::uint32_t>(of.call) + 1;
    if (!call.options.breakdown) continue;
    layer.name = of.name;
    layer.output = of.output;
    layer.members = of.members;
  }
  return layers;
}

}  // namespace rooftile
