#include "rooftile/ops/eager_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <variant>

namespace rooftile {
namespace {

constexpr double kLocate = 95;        // finding an element by division
constexpr double kSigmoid = 55;       // exponential, reciprocal, product
constexpr double kJoin = 72;          // an element of a concatenation of short runs
constexpr double kPlaneNorm = 77;     // batch normalisation of an element
constexpr double kChannelsNorm = 85;  // the same, of channels that lie side by side

constexpr double kRowThreads = 128, kOfRow = 35000, kOfElement = 47;  // of a layer norm's CTA: its sums, an element

template <std::size_t Size>
bool is_one_of(std::string_view function, const std::array<std::string_view, Size>& names) {
  return std::find(names.begin(), names.end(), function) != names.end();
}

bool is_another_float(DType a, DType b) { return a != b && is_floating(a) && is_floating(b); }

// Whether an input is broadcast or changes between floating types; scalars travel as arguments.
bool locates(const Workload& workload, const Op& op) {
  const Tensor& output = workload.tensors[op.outputs.front()];
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
    const Tensor& input = workload.tensors[id];
    const double count = elements(input.shape);
    return count > 1 && (count != elements(output.shape) || is_another_float(input.dtype, output.dtype));
  });
}

double of_elementwise(const Workload& workload, const Op& op, const Elementwise& elementwise) {
  constexpr std::array<std::string_view, 4> kSigmoids = {"silu", "swish", "sigmoid", "mish"};
  const double sigmoid = is_one_of(elementwise.function, kSigmoids) ? kSigmoid : 0;
  return sigmoid + (locates(workload, op) ? kLocate : 0);
}

double of_move(const Workload& workload, const Op& op, const Move& move, Maps maps) {
  constexpr std::array<std::string_view, 4> kStrided = {"transpose", "roll", "slice", "expand"};
  if (is_one_of(move.function, kStrided)) return kLocate;
  if (move.function == "concat") return maps == Maps::channels_last ? kJoin : 0;
  if (move.function != "cast" || op.inputs.empty()) return 0;
  const Tensor& input = workload.tensors[op.inputs.front()];
  const Tensor& output = workload.tensors[op.outputs.front()];
  return size_of(input.dtype) < size_of(output.dtype) ? kLocate : 0;  // casts down are vectorized
}

StreamKernel eager_rows(const StreamRows& rows, double inputs, Bytes element, double operations_of_row) {
  StreamKernel kernel = row_kernel({.rows = rows.rows,
                                    .columns = rows.columns,
                                    .inputs = inputs,
                                    .passes = 2,
                                    .per_load = elements_of_load(element),
                                    .most_threads = kRowThreads,
                                    .element = element},
                                   {});
  kernel.threads = kRowThreads;
  kernel.overlaps = true;
  kernel.work.operations = rows.rows * operations_of_row;
  return kernel;
}

}  // namespace

double eager_operations(const Workload& workload, const Op& op, Maps maps) {
  if (const auto* elementwise = std::get_if<Elementwise>(&op.kind)) return of_elementwise(workload, op, *elementwise);
  if (const auto* move = std::get_if<Move>(&op.kind)) return of_move(workload, op, *move, maps);
  return 0;
}

StreamKernel eager_batch_norm(const OperandBytes& bytes, const Shape& shape, Maps maps) {
  constexpr double kThreads = 256;
  double lanes = elements(shape);
  double each = kChannelsNorm;
  if (maps == Maps::planes && shape.size() > 2) {
    const double planes = static_cast<double>(shape[0]) * static_cast<double>(shape[1]);
    lanes = planes * kThreads * std::ceil(elements(shape) / planes / kThreads);
    each = kPlaneNorm;
  }
  StreamKernel kernel;
  kernel.read = bytes.read;
  kernel.write = bytes.write;
  kernel.threads = kThreads;
  kernel.ctas = std::max(1.0, std::ceil(lanes / kThreads));
  kernel.overlaps = true;
  kernel.work.operations = lanes * each;
  return kernel;
}

StreamKernel eager_batch_statistics(Bytes read, Bytes write, double elements, bool gradient) {
  constexpr double kForward = 65, kGradient = 75;
  StreamKernel kernel =
      flat_kernel(read, write, elements, {.operations = elements * (gradient ? kGradient : kForward)});
  kernel.overlaps = true;
  return kernel;
}

namespace {

// A CTA of so many threads for each row, which read one number at a time.
StreamKernel scalar_rows(const StreamRows& rows, Bytes element, double threads) {
  StreamKernel kernel =
      row_kernel({.rows = rows.rows, .columns = rows.columns, .most_threads = threads, .element = element}, {});
  kernel.threads = threads;
  kernel.overlaps = true;
  return kernel;
}

}  // namespace

std::vector<StreamKernel> early_layer_norm(const StreamRows& rows, Bytes element) {
  constexpr double kSumThreads = 512, kResultThreads = 256;
  StreamKernel sums = scalar_rows(rows, element, kSumThreads);
  sums.write = {};
  sums.work.operations = rows.rows * kOfRow * kSumThreads / kRowThreads;
  StreamKernel result = scalar_rows(rows, element, kResultThreads);
  result.work.operations = rows.rows * result.steps * kResultThreads * kOfElement;
  return {sums, result};
}

std::vector<StreamKernel> eager_group_norm(const OperandBytes& bytes, const Shape& shape, const StreamRows& groups,
                                           Bytes element) {
  constexpr double kSumThreads = 512, kOfChannel = 8;  // bytes of a scale and a shift
  StreamKernel sums = scalar_rows(groups, element, kSumThreads);
  sums.write = {};
  sums.work.operations = groups.rows * (kOfRow * kSumThreads / kRowThreads + kOfElement * groups.columns);
  const double channels = shape.size() > 1 ? static_cast<double>(shape[0] * shape[1]) : groups.rows;
  const Bytes scales = Bytes(kOfChannel) * channels;
  StreamKernel result =
      flat_kernel(bytes.read, bytes.write, elements(shape), {.operations = kLocate * elements(shape)});
  result.overlaps = true;
  return {sums, flat_kernel(scales, scales, channels, {}), result};
}

StreamKernel eager_layer_norm(const StreamRows& rows, Bytes element) {
  constexpr double kOfWideRow = 47500, kOfWideElement = 57;
  const bool wide = element > Bytes(2);  // twice as many loads of 16 bytes
  return eager_rows(rows, 1, element,
                    wide ? kOfWideRow + kOfWideElement * rows.columns : kOfRow + kOfElement * rows.columns);
}

StreamKernel eager_layer_gradient(const StreamRows& rows, Bytes element) {
  constexpr double kOfRow = 22000, kOfElement = 50;
  return eager_rows(rows, 2, element, kOfRow + kOfElement * rows.columns);
}

StreamKernel eager_column_sums(Bytes read, Bytes write, const StreamRows& rows) {
  constexpr double kThreads = 1024, kColumns = 32, kMostRows = 65536;
  StreamKernel kernel = flat_kernel(read, write, rows.rows * rows.columns, {.column_sums = rows.rows * rows.columns});
  if (rows.rows > kMostRows) return kernel;
  kernel.threads = kThreads;
  kernel.ctas = std::ceil(rows.columns / kColumns);
  kernel.overlaps = true;
  return kernel;
}

StreamKernel eager_bias_gradient(Bytes read, Bytes write, double elements, double columns) {
  constexpr double kOfWideRow = 5000, kOfNarrow = 40, kOfElement = 20, kWaits = 32;
  constexpr double kMostCtas = 1024;  // which GPUs of 64 SMs and more hold at once
  const double operations = elements * (kOfElement + std::min(kOfNarrow, kOfWideRow / columns));
  StreamKernel kernel = flat_kernel(read, write, elements, {.operations = operations});
  kernel.overlaps = true;
  kernel.steps = kWaits;
  kernel.ctas = std::min(kernel.ctas, kMostCtas);
  return kernel;
}

}  // namespace rooftile
