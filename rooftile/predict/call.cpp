#include "rooftile/predict/call.hpp"

#include <utility>

#include "rooftile/execution/cudnn_release.hpp"
#include "rooftile/execution/framework.hpp"
#include "rooftile/ops/conv_groups.hpp"
#include "rooftile/ops/pass_bytes.hpp"
#include "rooftile/ops/stream_gradient.hpp"
#include "rooftile/ops/stream_kernels.hpp"
#include "rooftile/predict/layer.hpp"
#include "rooftile/predict/reuse.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

LayerCall empty_call(std::string_view op, const PredictOptions& options) {
  return {.name = {},
          .op = std::string(op),
          .function = {},
          .output = {},
          .flops = {},
          .epilogue = {},
          .epilogue_age = {},
          .options = options,
          .work = {}};
}

bool has_filter_of_five(const Conv& conv) {
  constexpr std::int64_t kFive = 5;
  return conv.axes[1].filter == kFive && conv.axes[2].filter == kFive;
}

Streams depthwise_streams(const Conv& conv, const PredictOptions& options) {
  const Bytes element = size_of(options.precision);
  const bool forward = options.pass == Pass::fwd;
  const OperandBytes bytes = forward ? conv_operand_bytes(conv, element) : pass_bytes(conv, element, options.pass);
  if (!forward) return {bytes, {depthwise_gradient_kernel(conv, options.pass, bytes.read, bytes.write)}};
  const bool own = options.precision == DType::fp16 && kernels_of(options) == Execution::eager && !options.nhwc &&
                   has_filter_of_five(conv) && lacks_wide_depthwise(options.framework);
  return {
      bytes,
      {own ? own_depthwise_kernel(conv, bytes.read, bytes.write) : depthwise_kernel(conv, bytes.read, bytes.write)}};
}

Streams grouped_streams(const Conv& conv, const PredictOptions& options) {
  const OperandBytes bytes = pass_bytes(conv, size_of(options.precision), options.pass);
  if (options.pass == Pass::fwd) return {bytes, {grouped_forward_kernel(conv, bytes.read, bytes.write)}};
  return {bytes, {grouped_gradient_kernel(conv, cudnn_release(options.framework), bytes.read, bytes.write)}};
}

// Groups over contiguous channels for which tensor cores have no kernel.
bool groups_on_lanes(const Conv& conv, const PredictOptions& options) {
  if (!options.nhwc || kernels_of(options) != Execution::eager) return false;
  if (options.pass != Pass::fwd && multiplies_groups_apart(options.framework)) return false;
  return lacks_contiguous_kernel(conv, options.pass, cudnn_release(options.framework));
}

// What the weights of a product are stored in, where that is one of those asked for.
std::optional<DType> stored_weights(const Workload& workload, const Op& op, const PredictOptions& options) {
  if (!std::holds_alternative<Gemm>(op.kind) || op.inputs.size() < 2) return std::nullopt;
  const DType stored = workload.tensors[op.inputs[1]].dtype;
  if (stored == options.weights || stored == options.expert_weights) return stored;
  return std::nullopt;
}

bool is_inductor(const PredictOptions& options) {
  return kernels_of(options) == Execution::compiled && options.nhwc &&
         (options.framework.empty() || runs_pytorch(options.framework));
}

LayerCall stream_call(const Workload& workload, const Op& op, const PredictOptions& options, bool llama_cpp) {
  LayerCall call = empty_call(name_of(op.kind), options);
  call.function = function_of(op.kind);
  call.options.framework.clear();          // harnesses of streams are of calls that were timed one by one
  if (options.pass == Pass::bwd_weight) {  // with bwd_data
    call.work = Streams{};
    return call;
  }
  call.flops = flops(workload, op);
  const StreamRun run{.use = options.training ? StreamUse::training : StreamUse::inference,
                      .maps = options.nhwc ? Maps::channels_last : Maps::planes,
                      .eager = kernels_of(options) == Execution::eager,
                      .pools_by_load = runs_engine_kernels(options),
                      .scalar = llama_cpp,
                      .rows_by_numbers = reads_rows_by_numbers(options.framework),
                      .early_norms = has_early_batch_norms(options.framework),
                      .own_norms = kernels_of(options) == Execution::eager && normalizes_itself(options.framework)};
  if (options.pass == Pass::fwd) {
    std::vector<StreamKernel> kernels = stream_kernels(workload, op, run);
    if (is_inductor(options) && fetches_sectors_again(workload, op)) {
      constexpr Bytes kSector(32);
      kernels.front().fetches = kSector / size_of(workload.tensors[op.inputs.front()].dtype);
    }
    call.work = Streams{operand_bytes(workload, op), std::move(kernels)};
  } else {
    std::vector<StreamKernel> kernels = gradient_kernels(workload, op, run);
    const OperandBytes bytes = total_bytes(kernels);
    call.work = Streams{bytes, std::move(kernels)};
  }
  return call;
}

}  // namespace

LayerCall call_of(const Conv& conv, const PredictOptions& options) {
  LayerCall call = empty_call("conv", options);
  call.flops = Flops(2 * macs(conv));
  Products& products = call.work.emplace<Products>();
  products.convolution = true;
  products.depthwise = is_depthwise(conv);
  if (options.method == Method::roofline) {
    products.compulsory = pass_bytes(conv, size_of(options.precision), options.pass);
  } else {
    for (const ConvPart& part : direct_parts(conv)) products.parts.push_back({im2col(part.conv), part.count, {}});
    if (products.depthwise || products.parts.empty()) products.streams = depthwise_streams(conv, options);
    products.on_lanes = groups_on_lanes(conv, options);
    if (products.on_lanes) products.streams = grouped_streams(conv, options);
  }
  return call;
}

LayerCall call_of(const Gemm& gemm, const PredictOptions& options) {
  LayerCall call = empty_call("gemm", options);
  const Im2col as_conv = im2col(gemm);
  call.flops = Flops(2 * as_conv.m * as_conv.n * as_conv.k * as_conv.groups);
  Products& products = call.work.emplace<Products>();
  products.parts.push_back({as_conv, 1, {}});
  if (options.method == Method::roofline) {
    products.compulsory = pass_bytes(gemm, size_of(options.precision), options.pass,
                                     size_of(options.weights.value_or(options.precision)));
  }
  return call;
}

LayerCall call_of(const Attention& attention, const PredictOptions& options) {
  LayerCall call = empty_call("attention", options);
  if (options.pass != Pass::bwd_weight) {  // which is in bwd_data
    call.flops = Flops(2 * (options.pass == Pass::fwd ? macs(attention) : gradient_macs(attention)));
  }
  call.work = attention;
  return call;
}

LayerCall call_of(const Recurrent& recurrent, const PredictOptions& options) {
  LayerCall call = empty_call("recurrent", options);
  call.function = recurrent.cell;
  call.flops = Flops(2 * macs(recurrent));
  call.work = recurrent;
  return call;
}

LayerCall call_of(const StreamLayer& stream, const PredictOptions& options) {
  LayerCall call = empty_call("stream", options);
  call.function = name_of(stream.kind);
  if (options.pass == Pass::bwd_weight) {  // with bwd_data
    call.work = Streams{};
    return call;
  }
  call.flops = flops(stream);
  const Bytes element = size_of(options.precision);
  const NormKernels norms = norm_kernels(options.plan.kernel);
  std::vector<StreamKernel> kernels = options.pass == Pass::fwd ? std::vector{stream_kernel(stream, element, norms)}
                                                                : gradient_kernels(stream, element, norms);
  const OperandBytes bytes = total_bytes(kernels);
  call.work = Streams{bytes, std::move(kernels)};
  return call;
}

LayerCall call_of(const Workload& workload, const Op& op, const PredictOptions& options) {
  PredictOptions own = options;
  const LaunchOptions rules = launch_options(options, Phase::fwd);
  own.precision = precision_of(workload, op, rules);
  if (rules.llama_cpp) own.accumulate = DType::fp16;  // CUBLAS_COMPUTE_16F
  own.weights = stored_weights(workload, op, options);
  // The sums of narrow products are written as they are stored.
  if (own.precision == DType::int8 || is_narrow_float(own.precision))
    own.result = workload.tensors[op.outputs.front()].dtype;
  own.rectified = own.precision == DType::int8 && workload.tensors[op.inputs.front()].rectified;
  LayerCall call;
  if (const auto* conv = std::get_if<Conv>(&op.kind)) {
    call = call_of(*conv, own);
  } else if (const auto* gemm = std::get_if<Gemm>(&op.kind)) {
    call = call_of(*gemm, own);
  } else if (const auto* attention = std::get_if<Attention>(&op.kind)) {
    call = call_of(*attention, own);
  } else if (const auto* recurrent = std::get_if<Recurrent>(&op.kind)) {
    call = call_of(*recurrent, own);
  } else if (const auto* view = std::get_if<View>(&op.kind); view != nullptr && !(is_dropout(*view) && own.training)) {
    call = empty_call(name_of(op.kind), own);
    call.function = function_of(op.kind);
  } else {
    call = stream_call(workload, op, own, rules.llama_cpp);
  }
  call.name = op.name;
  for (const TensorId id : epilogue_inputs(workload, op)) call.epilogue += size_of(workload.tensors[id]);
  call.epilogue_age = kLongAgo;
  call.output = workload.tensors[op.outputs.front()].shape;
  return call;
}

LayerCall update_call(double weights, const PredictOptions& options) {
  LayerCall call = empty_call("update", options);
  call.options.pass = Pass::bwd_weight;
  call.options.framework.clear();  // part of a call whose harness is counted already
  call.function = options.optimizer == Optimizer::sgd ? "" : name_of(options.optimizer);
  const Execution kernels = kernels_of(options);
  const bool fused = options.fused_update || kernels == Execution::engine ||
                     (kernels == Execution::compiled && compiles_update(options.framework));
  const UpdatePasses passes = update_passes(options.optimizer, fused);
  call.flops = Flops(passes.operations * weights);
  call.output = {static_cast<std::int64_t>(weights)};
  const Bytes element = size_of(trained_in({options.precision, options.autocast}));
  const OperandBytes bytes = {element * (passes.reads * weights), element * (passes.writes * weights)};
  const StreamWork work{.operations = call.flops.value() / passes.kernels};
  const StreamKernel kernel = flat_kernel(bytes.read / passes.kernels, bytes.write / passes.kernels, weights, work);
  call.work = Streams{bytes, std::vector<StreamKernel>(static_cast<std::size_t>(passes.kernels), kernel)};
  return call;
}

LayerCall clip_call(double weights, const PredictOptions& options) {
  LayerCall call = empty_call("clip", options);
  call.options.pass = Pass::bwd_weight;
  call.options.framework.clear();
  call.flops = Flops(3 * weights);
  call.output = {static_cast<std::int64_t>(weights)};
  const Bytes gradients = size_of(trained_in({options.precision, options.autocast})) * weights;
  std::vector<StreamKernel> kernels = {flat_kernel(gradients, Bytes(0), weights, {.operations = 2 * weights}),
                                       flat_kernel(gradients, gradients, weights, {.operations = weights})};
  const OperandBytes bytes = total_bytes(kernels);
  call.work = Streams{bytes, std::move(kernels)};
  return call;
}

namespace {

LayerCall gradients_call(const Tensor& tensor, std::string_view function, std::vector<StreamKernel> kernels,
                         const PredictOptions& options) {
  LayerCall call = empty_call("elementwise", options);
  call.function = function;
  call.options.pass = Pass::bwd_data;
  call.options.framework.clear();
  call.flops = Flops(elements(tensor.shape));
  call.output = tensor.shape;
  const OperandBytes bytes = total_bytes(kernels);
  call.work = Streams{bytes, std::move(kernels)};
  return call;
}

}  // namespace

LayerCall gradient_sum_call(const Tensor& tensor, const PredictOptions& options) {
  return gradients_call(tensor, "add", {gradient_sum(tensor)}, options);
}

LayerCall kept_gradient_call(const Tensor& tensor, const PredictOptions& options) {
  const StreamKernel zeros = flat_kernel(Bytes(0), size_of(tensor), elements(tensor.shape), {});
  return gradients_call(tensor, kKeptGradient, {zeros, gradient_sum(tensor)}, options);
}

LayerCall converted_gradient_call(const Tensor& tensor, const PredictOptions& options) {
  const double count = elements(tensor.shape);
  const Bytes wide = size_of(tensor);
  const StreamKernel largest = flat_kernel(wide, Bytes(0), count, {.operations = count});
  const StreamKernel cast = flat_kernel(wide, size_of(options.precision) * count, count, {.operations = count});
  return gradients_call(tensor, "cast", {largest, cast}, options);
}

}  // namespace rooftile
