#include "rooftile/parallel/megatron_kernels.hpp"

#include <utility>

#include "rooftile/ops/stream_layer.hpp"

namespace rooftile {
namespace {

class Around {
 public:
  // Positions, features of the MLP and of what goes in and comes out, and experts, each with launches of its own.
  Around(std::int64_t rows, std::int64_t width, std::int64_t hidden, std::int64_t experts, const Gpu& gpu,
         const PredictOptions& options)
      : rows_(rows), width_(width), hidden_(hidden), each_(static_cast<double>(experts)), gpu_(gpu) {
    narrow_ = options;
    narrow_.in_network = true;
    narrow_.training = false;
    if (is_narrow_float(narrow_.precision)) narrow_.precision = kBesideNarrow;
    wide_ = narrow_;
    wide_.precision = DType::fp32;
  }

  // A pointwise kernel of TorchScript's fuser (fused_bias_swiglu.py: jit_fuser), which loads as a sum of two does.
  void gate() {
    constexpr double kBackward = 10.0 / 6;  // reads two inputs and a gradient, writes two
    add(made_.forward, "mlp/gated", StreamKind::add, narrow_, width_);
    add(made_.backward, "mlp/gated", StreamKind::add, narrow_, width_, kBackward);
  }

  void clamp() {
    for (const char* which : {"gate", "up"}) {
      add(made_.forward, std::string("mlp/clamp ") + which, StreamKind::activation, narrow_, width_);
      add(made_.backward, std::string("mlp/clamp ") + which, StreamKind::add, narrow_, width_);
    }
    add(made_.forward, "mlp/clamp/join", StreamKind::activation, narrow_, 2 * width_);
    add(made_.backward, "mlp/clamp/join", StreamKind::activation, narrow_, 2 * width_);
  }

  // Shares are bytes of what reads and writes FP32 alike.
  void add_biases() {
    constexpr double kWrites = 4.0 / 8, kReads = 4.0 / 8, kCasts = 6.0 / 8, kWidens = 10.0 / 12;
    add(made_.forward, "mlp/down/bias/scale", StreamKind::activation, wide_, hidden_, kWrites, each_);
    add(made_.forward, "mlp/down/bias/add", StreamKind::add, wide_, hidden_, kWidens, each_);
    add(made_.forward, "mlp/down/bias/join", StreamKind::activation, wide_, hidden_);
    add(made_.forward, "mlp/down/bias/narrow", StreamKind::activation, wide_, hidden_, kCasts);
    add(made_.backward, "mlp/down/bias/widen", StreamKind::activation, wide_, hidden_, kCasts);
    add(made_.backward, "mlp/down/bias/narrow", StreamKind::activation, wide_, hidden_, kCasts, each_);
    add(made_.backward, "mlp/down/bias/join", StreamKind::activation, narrow_, hidden_);
    for (const char* of : {"mlp/down/bias", "mlp/router"}) {
      add(made_.backward, std::string(of) + "/times gradient", StreamKind::activation, wide_, hidden_, 1, each_);
      add(made_.backward, std::string(of) + "/sum", StreamKind::activation, wide_, hidden_, kReads, each_);
    }
  }

  void sort() {
    for (auto* pass : {&made_.forward, &made_.backward}) {
      add(*pass, "mlp/dispatch/sort", StreamKind::activation, narrow_, hidden_);
      add(*pass, "mlp/combine/sort", StreamKind::activation, narrow_, hidden_);
    }
  }

  // Of gate and up, which are one product there, and of what follows; backward of each for its inputs and its weights.
  void call_each(bool converts) {
    constexpr double kProducts = 2, kGradients = 2;
    const double more = each_ - 1;
    const double conversions = converts ? kProducts * more : 0;
    made_.calls_forward += kProducts * more + conversions;
    made_.calls_backward += kProducts * kGradients * more + conversions;
  }

  MegatronKernels kernels() && {
    for (const PassKernel& kernel : made_.forward) made_.calls_forward += kernel.launches;
    for (const PassKernel& kernel : made_.backward) made_.calls_backward += kernel.launches;
    return std::move(made_);
  }

 private:
  void add(std::vector<PassKernel>& to, std::string name, StreamKind kind, const PredictOptions& options,
           std::int64_t columns, double share = 1, double launches = 1) const {
    const LayerEstimate estimated = estimate(StreamLayer{kind, rows_, columns}, gpu_, options);
    PassKernel kernel;
    kernel.name = std::move(name);
    kernel.time = estimated.time * share;
    kernel.launches = launches;
    kernel.flops = estimated.flops * share;
    kernel.dram = estimated.traffic.at_dram() * share;
    to.push_back(std::move(kernel));
  }

  std::int64_t rows_, width_, hidden_;
  double each_;  // experts
  const Gpu& gpu_;
  PredictOptions narrow_, wide_;
  MegatronKernels made_;
};

}  // namespace

MegatronKernels megatron_gate(std::int64_t rows, std::int64_t width, const Gpu& gpu, const PredictOptions& options) {
  Around around(rows, width, width, 1, gpu, options);
  around.gate();
  return std::move(around).kernels();
}

MegatronKernels megatron_experts(const Transformer& part, std::int64_t picks, bool exchanged, const Gpu& gpu,
                                 const PredictOptions& options) {
  Around around(picks, part.expert_ffn, part.hidden, part.experts, gpu, options);
  if (part.clamped) around.clamp();
  if (part.bias == TransformerBias::all || part.bias == TransformerBias::mlp) around.add_biases();
  if (exchanged && part.experts > 1) around.sort();
  around.call_each(is_narrow_float(options.precision));
  return std::move(around).kernels();
}

}  // namespace rooftile
