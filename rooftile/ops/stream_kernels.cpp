#include "rooftile/ops/stream_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "rooftile/ops/cross_entropy.hpp"
#include "rooftile/ops/eager_work.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile {
namespace {

constexpr Bytes kVector{16};            // the widest load of a thread
constexpr double kScalarThreads = 256;  // llama.cpp: CUDA_*_BLOCK_SIZE
constexpr double kNormThreads = 512;    // of a row that is loaded by vectors
constexpr double kShortSoftmax = 1024;  // columns that the lanes of one warp keep in registers

// Maximum, sum of exponentials and result each go through the row, unless registers hold it.
StreamKernel softmax_kernel(const StreamRows& stream, Bytes element) {
  const StreamWork work{.softmaxes = 1};
  RowStream rows{.rows = stream.rows,
                 .columns = stream.columns,
                 .passes = 3,
                 .per_load = elements_of_load(element),
                 .element = element};
  if (stream.columns > kShortSoftmax) return row_kernel(rows, work);
  rows.passes = 1;
  return short_row_kernel(rows, work);
}

// Fused: registers hold the row from the statistics to the result.
StreamKernel held_norm_kernel(const StreamRows& stream, double operations, Bytes element) {
  const RowStream rows{.rows = stream.rows,
                       .columns = stream.columns,
                       .per_load = elements_of_load(element),
                       .most_threads = kNormThreads,
                       .element = element};
  const StreamWork work{.operations = operations};
  return stream.columns > kShortSoftmax ? row_kernel(rows, work) : short_row_kernel(rows, work);
}

// Statistics in one pass, the result in a second.
StreamKernel norm_kernel(const StreamRows& stream, double operations, Bytes element) {
  return row_kernel({.rows = stream.rows,
                     .columns = stream.columns,
                     .passes = 2,
                     .per_load = elements_of_load(element),
                     .most_threads = kNormThreads,
                     .element = element},
                    {.operations = operations});
}

// Alone or in a chain.
bool is_error_function(std::string_view function) {
  return function.find("gelu") != std::string_view::npos || function.find("erf") != std::string_view::npos;
}

double output_elements(const Workload& workload, const Op& op) {
  return elements(workload.tensors[op.outputs.front()].shape);
}

double input_elements(const Workload& workload, const Op& op) {
  return op.inputs.empty() ? 0 : elements(workload.tensors[op.inputs.front()].shape);
}

struct Forward {
  const Workload& workload;
  const Op& op;
  StreamRun run;
  OperandBytes bytes = operand_bytes(workload, op);
  StreamWork work{.operations = flops(workload, op).value()};
  double outputs = output_elements(workload, op);

  std::vector<StreamKernel> flat(const StreamWork& other) const {
    const double most = std::max(outputs, input_elements(workload, op));
    return {run.scalar ? scalar_kernel(bytes.read, bytes.write, most, kScalarThreads, other)
                       : flat_kernel(bytes.read, bytes.write, most, other)};
  }

  // With the instructions of its eager kernel.
  StreamKernel eager(StreamKernel kernel) const {
    if (!run.eager) return kernel;
    const double more = eager_operations(workload, op, run.maps);
    kernel.work.operations += outputs * more;
    kernel.overlaps = more > 0 || kernel.work.activations > 0;
    return kernel;
  }

  // With what operators in the same kernel read and write besides.
  StreamKernel fused(StreamKernel kernel) const {
    kernel.read = bytes.read;
    kernel.write = bytes.write;
    return kernel;
  }

  // A normalisation of the sum of several tensors.
  bool adds_first() const {
    return std::count_if(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
             const Tensor& tensor = workload.tensors[id];
             return !tensor.constant && elements(tensor.shape) == outputs;
           }) > 1;
  }

  double channels_of_visit() const {
    return run.pools_by_load ? elements_of_load(size_of(workload.tensors[op.outputs.front()].dtype)) : 1;
  }

  std::vector<StreamKernel> operator()(const Pool& pool) const {
    const Shape& input = workload.tensors[op.inputs.front()].shape;
    if (is_global(pool, input, workload.tensors[op.outputs.front()].shape)) return flat(work);
    const bool indices = (run.use == StreamUse::training || run.eager) && pool.function == "max";
    const Bytes write = indices ? bytes.write + (run.eager ? kPoolIndex : kPoolOffset) * outputs : bytes.write;
    const StreamWork search{.operations = run.eager ? outputs * kEagerWindow : 0,
                            .visits = outputs * static_cast<double>(pool.window) / channels_of_visit()};
    return {flat_kernel(bytes.read, write, outputs, search)};
  }
  std::vector<StreamKernel> operator()(const Normalize& norm) const {
    const Tensor& output = workload.tensors[op.outputs.front()];
    if (norm.function == "batch") {
      if (run.use == StreamUse::training && run.maps == Maps::planes) {
        if (run.own_norms && has_narrow_weights(workload, op)) {
          return own_planes_norm(output.shape, bytes, size_of(output.dtype), work.operations / outputs);
        }
        return {planes_norm_kernel(output.shape, size_of(output.dtype), 1, work.operations / outputs, run.early_norms)};
      }
      if (run.eager && run.use == StreamUse::inference) return {eager_batch_norm(bytes, output.shape, run.maps)};
      if (run.eager) return {eager_batch_statistics(bytes.read * 2, bytes.write, outputs, false)};
      std::vector<StreamKernel> kernels = flat(work);
      if (run.use == StreamUse::training) {  // statistics first, of the input alone
        const Bytes x = size_of(workload.tensors[op.inputs.front()]);
        kernels.insert(kernels.begin(), flat_kernel(x, {}, outputs, work));
      }
      return kernels;
    }
    if (norm.function == "lrn") return flat(work);
    const StreamRows rows = rows_of(op.kind, output.shape);
    const double each = work.operations / outputs;
    const Bytes element = size_of(output.dtype);
    const bool alone = op.members.empty() && !adds_first();
    if (alone && run.eager && norm.function == "layer") {
      if (run.rows_by_numbers) return early_layer_norm(rows, element);
      return {eager_layer_norm(rows, element)};
    }
    if (alone && run.eager && norm.function == "group") return eager_group_norm(bytes, output.shape, rows, element);
    return {alone ? norm_kernel(rows, each, element) : fused(held_norm_kernel(rows, each, element))};
  }
  std::vector<StreamKernel> operator()(const Softmax&) const {
    const Tensor& output = workload.tensors[op.outputs.front()];
    const Bytes x = size_of(workload.tensors[op.inputs.front()].dtype);
    StreamKernel kernel = softmax_kernel(rows_of(op.kind, output.shape), size_of(output.dtype));
    for (Bytes* read : {&kernel.read, &kernel.reread, &kernel.row}) *read *= x / size_of(output.dtype);
    return {op.members.empty() ? kernel : fused(kernel)};
  }
  std::vector<StreamKernel> operator()(const Elementwise& elementwise) const {
    return {eager(flat(is_error_function(elementwise.function) ? StreamWork{.activations = outputs} : work).front())};
  }
  std::vector<StreamKernel> operator()(const Reduce& reduce) const {
    if (is_cross_entropy(reduce)) return {cross_entropy_kernel(workload, op)};
    if (!run.eager || reduce.function != "bias") return flat(work);
    return {eager_bias_gradient(bytes.read, bytes.write, input_elements(workload, op), std::max(1.0, outputs))};
  }
  std::vector<StreamKernel> operator()(const Move& move) const {
    if (move.function == kUnpack) return {unpacking_kernel(bytes.read, bytes.write, outputs)};
    if (run.scalar && !move.partial) return flat(work);
    return {eager(flat_kernel(bytes.read, bytes.write,
                              move.partial ? outputs : std::max(outputs, input_elements(workload, op)), work))};
  }
  std::vector<StreamKernel> operator()(const View& view) const {
    if (!is_dropout(view) || run.use == StreamUse::inference) return {};
    const Bytes y = size_of(workload.tensors[op.outputs.front()]);
    return {flat_kernel(y, y + kDropoutMask * outputs, outputs, {.operations = 2 * outputs})};
  }
  template <class Other>
  std::vector<StreamKernel> operator()(const Other&) const {
    return {};
  }
};

}  // namespace

double elements_of_load(Bytes element) { return std::max(1.0, kVector / element); }

namespace {

// A CTA for each channel, whose threads wait for `in_flight` elements of each input at once.
StreamKernel channel_kernel(const Shape& shape, RowStream stream, double in_flight, double operations_of_one) {
  constexpr double kThreads = 512;
  stream.rows = shape.size() > 1 ? static_cast<double>(shape[1]) : 1;
  stream.columns = elements(shape) / stream.rows;
  stream.per_load = in_flight;
  stream.most_threads = kThreads;
  return row_kernel(stream, {.operations = operations_of_one});
}

}  // namespace

StreamKernel planes_norm_kernel(const Shape& shape, Bytes element, double inputs, double operations_of_one,
                                bool early) {
  const double in_flight = early ? 1 : 2, passes = early && inputs == 1 ? 3 : 2;
  return channel_kernel(shape, {.inputs = inputs, .passes = passes, .element = element}, in_flight, operations_of_one);
}

std::vector<StreamKernel> own_planes_norm(const Shape& shape, const OperandBytes& bytes, Bytes element,
                                          double operations_of_one) {
  StreamKernel statistics = channel_kernel(shape, {.element = element}, 1, operations_of_one);
  statistics.write = {};
  return {statistics,
          flat_kernel(bytes.read, bytes.write, elements(shape), {.operations = operations_of_one * elements(shape)})};
}

StreamKernel own_planes_gradient(const Shape& shape, Bytes element, double operations_of_one) {
  return channel_kernel(shape, {.inputs = 2, .passes = 2, .element = element}, 1, operations_of_one);
}

bool has_narrow_weights(const Workload& workload, const Op& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
    const Tensor& tensor = workload.tensors[id];
    return tensor.constant && size_of(tensor.dtype) < size_of(DType::fp32);
  });
}

StreamRows rows_of(const OpKind& kind, const Shape& shape) {
  const auto* norm = std::get_if<Normalize>(&kind);
  const bool channels = norm != nullptr && (norm->function == "instance" || norm->function == "group");
  const std::size_t outer =
      channels ? std::min<std::size_t>(2, shape.size()) : shape.size() - std::min<std::size_t>(1, shape.size());
  StreamRows result{1, 1};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (i < outer ? result.rows : result.columns) *= static_cast<double>(shape[i]);
  }
  return result;
}

bool fetches_sectors_again(const Workload& workload, const Op& op) {
  constexpr std::int64_t kOneChannel = 256;  // positions from which a CTA reduces a single channel
  const auto* pool = std::get_if<Pool>(&op.kind);
  if (pool == nullptr || pool->window < kOneChannel) return false;
  return is_global(*pool, workload.tensors[op.inputs.front()].shape, workload.tensors[op.outputs.front()].shape);
}

bool is_global(const Pool& pool, const Shape& input, const Shape& output) {
  if (elements(input) != elements(output) * static_cast<double>(pool.window)) return false;
  return std::all_of(output.begin() + std::min<std::ptrdiff_t>(2, std::ssize(output)), output.end(),
                     [](std::int64_t size) { return size == 1; });
}

StreamKernel stream_kernel(const StreamLayer& layer, Bytes element, NormKernels norms) {
  const StreamRows stream{static_cast<double>(layer.rows), static_cast<double>(layer.columns)};
  const double outputs = stream.rows * stream.columns;
  const double nominal = flops(layer).value() / outputs;
  const OperandBytes bytes = operand_bytes(layer, element);
  RowStream rows{.rows = stream.rows, .columns = stream.columns, .element = element};
  switch (layer.kind) {
    case StreamKind::norm:
      if (norms == NormKernels::fused || norms == NormKernels::compiled) {
        return held_norm_kernel(stream, nominal, element);
      }
      if (norms == NormKernels::eager) return norm_kernel(stream, nominal, element);
      rows.passes = 2;
      return row_kernel(rows, {.operations = nominal});
    case StreamKind::gated_activation:
      rows.inputs = 2;
      return row_kernel(rows, {.gates = 1});
    case StreamKind::layernorm:
      if (norms == NormKernels::fused || norms == NormKernels::compiled) {
        return held_norm_kernel(stream, nominal, element);
      }
      if (norms == NormKernels::eager) return eager_layer_norm(stream, element);
      return norm_kernel(stream, nominal, element);
    case StreamKind::softmax:
      return softmax_kernel(stream, element);
    case StreamKind::activation:
      return flat_kernel(bytes.read, bytes.write, outputs, {.activations = outputs});
    case StreamKind::gelu:
    case StreamKind::add:
      break;
  }
  return flat_kernel(bytes.read, bytes.write, outputs, {.operations = nominal * outputs});
}

std::vector<StreamKernel> stream_kernels(const Workload& workload, const Op& op, const StreamRun& run) {
  return std::visit(Forward{.workload = workload, .op = op, .run = run}, op.kind);
}

StreamKernel depthwise_kernel(const Conv& conv, Bytes read, Bytes write) {
  double outputs = static_cast<double>(conv.batch) * static_cast<double>(conv.out_channels);
  for (const ConvAxis& axis : conv.axes) outputs *= static_cast<double>(out_positions(axis, conv.transposed));
  return flat_kernel(read, write, outputs, {.operations = 2 * macs(conv)});
}

namespace {

// Counted in the source's inner loops: bounds, a division and a remainder to find the position, loads, the product.
constexpr double kDataTap = 12, kWeightTap = 24;

}  // namespace

StreamKernel own_depthwise_kernel(const Conv& conv, Bytes read, Bytes write) {
  StreamKernel kernel = depthwise_kernel(conv, read, write);
  kernel.work.operations = macs(conv) * kWeightTap;
  return kernel;
}

StreamKernel depthwise_gradient_kernel(const Conv& conv, Pass pass, Bytes read, Bytes write) {
  double taps = 1;
  for (const ConvAxis& axis : conv.axes) taps *= static_cast<double>(axis.filter);
  const bool data = pass == Pass::bwd_data;
  StreamKernel kernel = depthwise_kernel(conv, read, write);
  kernel.work.operations = macs(conv) * (data ? kDataTap : kWeightTap);
  if (!data) kernel.reread = read * (taps - 1);
  return kernel;
}

}  // namespace rooftile
