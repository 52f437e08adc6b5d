#include "rooftile/workload/workload.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/workload/conv_geometry.hpp"
#include "rooftile/workload/sequence.hpp"

namespace rooftile {
namespace {

tl::unexpected<Error> bad(std::string message, std::string_view where) {
  return fail(ErrorCode::bad_input, std::move(message), one_line(where));
}

Result<void> check_tensor(const Tensor& tensor) {
  const std::string where = fmt::format("tensor '{}'", tensor.name);
  for (const std::int64_t dimension : tensor.shape) {
    if (dimension < 1 || dimension > kMaxDimension) {
      return bad(fmt::format("dimension {} is not between 1 and {}", dimension, kMaxDimension), where);
    }
  }
  if (elements(tensor.shape) > kMaxElements) {
    return bad(fmt::format("{} elements are more than {:.3g}", print(tensor.shape), kMaxElements), where);
  }
  return {};
}

// What each kind needs beyond well-formed tensors.
struct CheckKind {
  const Workload& workload;
  const Op& op;

  const Shape& input() const { return workload.tensors[op.inputs.front()].shape; }
  const Shape& output() const { return workload.tensors[op.outputs.front()].shape; }

  static Result<void> require(bool holds, std::string_view what) {
    if (holds) return {};
    return fail(ErrorCode::bad_input, std::string(what));
  }

  Result<void> operator()(const Conv& conv) const {
    TRY(check(conv));
    double in = static_cast<double>(conv.batch) * static_cast<double>(conv.in_channels);
    double out = static_cast<double>(conv.batch) * static_cast<double>(conv.out_channels);
    for (const ConvAxis& axis : conv.axes) {
      in *= static_cast<double>(axis.in);
      out *= static_cast<double>(out_positions(axis, conv.transposed));
    }
    if (op.inputs.empty() || in != elements(input()) || out != elements(output())) {
      return fail(ErrorCode::bad_input,
                  fmt::format("convolution from {:.0f} to {:.0f} elements does not fit its tensors {} and {}", in, out,
                              op.inputs.empty() ? "(none)" : print(input()), print(output())));
    }
    return {};
  }
  Result<void> operator()(const Gemm& gemm) const {
    for (const std::int64_t dimension : {gemm.batch, gemm.m, gemm.n, gemm.k}) {
      if (dimension < 1 || static_cast<double>(dimension) > kMaxElements) {
        return fail(ErrorCode::bad_input, fmt::format("GEMM dimension {} is out of range", dimension));
      }
    }
    const double out = static_cast<double>(gemm.batch) * static_cast<double>(gemm.m) * static_cast<double>(gemm.n);
    if (out * static_cast<double>(gemm.k) > kMaxMacs) return require(false, "GEMM has too many multiply-accumulates");
    if (out != elements(output())) return require(false, "GEMM does not fit its output tensor");
    if (op.inputs.empty()) return require(false, "GEMM has no input");
    TRY(check_operand(gemm, 0, gemm.m, gemm.k));
    return op.inputs.size() > 1 ? check_operand(gemm, 1, gemm.k, gemm.n) : Result<void>{};
  }
  // One matrix for the whole batch, one for each product, or anything between (broadcast).
  Result<void> check_operand(const Gemm& gemm, std::size_t index, std::int64_t rows, std::int64_t columns) const {
    const Shape& shape = workload.tensors[op.inputs[index]].shape;
    const double matrix = static_cast<double>(rows) * static_cast<double>(columns);
    const double matrices = elements(shape) / matrix;
    if (std::fmod(elements(shape), matrix) == 0 && matrices <= static_cast<double>(gemm.batch)) return {};
    return fail(ErrorCode::bad_input, fmt::format("GEMM with {} matrices of {}x{} does not fit its input tensor {}",
                                                  gemm.batch, rows, columns, print(shape)));
  }
  Result<void> operator()(const Attention& attention) const {
    TRY(check(attention));
    const AttentionElements count = elements_of(attention);
    const std::array<double, 3> wanted = {count.q, count.kv, count.values};
    if (op.inputs.size() != wanted.size()) return require(false, "attention takes queries, keys and values");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Shape& shape = workload.tensors[op.inputs[i]].shape;
      if (elements(shape) != wanted[i]) {
        return require(false, fmt::format("attention of {:.0f} elements does not fit its input tensor {}", wanted[i],
                                          print(shape)));
      }
    }
    return require(elements(output()) == count.out, "attention does not fit its output tensor");
  }
  Result<void> operator()(const Recurrent& recurrent) const {
    TRY(check(recurrent));
    const double batch = static_cast<double>(recurrent.batch), steps = static_cast<double>(recurrent.steps);
    const double out = static_cast<double>(recurrent.hidden) * static_cast<double>(recurrent.directions);
    const bool fits = elements(output()) == batch * steps * out || elements(output()) == batch * out;  // the last state
    return require(
        !op.inputs.empty() && fits && elements(input()) == batch * steps * static_cast<double>(recurrent.input),
        "a recurrent layer does not fit its tensors");
  }
  Result<void> operator()(const Pool& pool) const {
    return require(pool.window >= 1 && static_cast<double>(pool.window) <= kMaxElements,
                   "pooling window is out of range");
  }
  Result<void> operator()(const Normalize& norm) const {
    return require(norm.window >= 1 && norm.window <= kMaxDimension, "normalisation window is out of range");
  }
  Result<void> operator()(const Elementwise& elementwise) const {
    return require(elementwise.flops_per_element >= 0 && elementwise.flops_per_element <= kMaxDimension,
                   "operations per element are out of range");
  }
  Result<void> operator()(const Softmax&) const { return {}; }
  Result<void> operator()(const Reduce&) const { return {}; }
  Result<void> operator()(const Move&) const { return {}; }
  Result<void> operator()(const View&) const {
    return require(!op.inputs.empty() && elements(input()) == elements(output()),
                   "a view has as many elements as its input");
  }
};

}  // namespace

std::string print(const Shape& shape) { return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x")); }

double elements(const Shape& shape) {
  double product = 1;
  for (const std::int64_t dimension : shape) product *= static_cast<double>(dimension);
  return product;
}

Bytes size_of(const Tensor& tensor) { return elements(tensor.shape) * size_of(tensor.dtype); }

std::optional<DType> stored_precision(const Workload& workload) {
  double all = 0, fp16 = 0, bf16 = 0;
  for (const Tensor& tensor : workload.tensors) {
    if (!tensor.constant || !is_floating(tensor.dtype)) continue;
    const double count = elements(tensor.shape);
    all += count;
    if (tensor.dtype == DType::fp16) fp16 += count;
    if (tensor.dtype == DType::bf16) bf16 += count;
  }
  if (2 * fp16 > all) return DType::fp16;
  if (2 * bf16 > all) return DType::bf16;
  return std::nullopt;
}

Result<void> validate(const Workload& workload) {
  if (workload.batch_size < 1 || workload.batch_size > kMaxDimension) {
    return bad(fmt::format("batch size {} is not between 1 and {}", workload.batch_size, kMaxDimension), workload.name);
  }
  std::unordered_set<std::string_view> tensor_names;
  for (const Tensor& tensor : workload.tensors) {
    if (tensor.name.empty()) return bad("a tensor has no name", workload.name);
    TRY(check_tensor(tensor));
    if (!tensor_names.insert(tensor.name).second)
      return bad("two tensors have this name", "tensor '" + tensor.name + "'");
  }
  const std::size_t count = workload.tensors.size();
  std::vector<bool> known(count);
  for (std::size_t id = 0; id < count; ++id) known[id] = workload.tensors[id].constant;
  for (const TensorId id : workload.inputs) {
    if (id >= count) return bad("an input names no tensor", workload.name);
    known[id] = true;
  }
  std::unordered_set<std::string_view> names;
  for (const Op& op : workload.ops) {
    const std::string where = fmt::format("layer '{}'", op.name);
    if (!names.insert(op.name).second) return bad("two layers have this name", where);
    for (const TensorId id : op.inputs) {
      if (id >= count) return bad("an input names no tensor", where);
      if (!known[id]) {
        return bad(fmt::format("needs '{}', which nothing before it produces", one_line(workload.tensors[id].name)),
                   where);
      }
    }
    if (op.outputs.empty()) return bad("has no output", where);
    for (const TensorId id : op.outputs) {
      if (id >= count) return bad("an output names no tensor", where);
      if (known[id]) return bad(fmt::format("'{}' is produced twice", one_line(workload.tensors[id].name)), where);
      known[id] = true;
    }
    if (auto result = std::visit(CheckKind{workload, op}, op.kind); !result) {
      return bad(result.error().message, where);
    }
  }
  for (const TensorId id : workload.outputs) {
    if (id >= count || !known[id]) return bad("an output is never produced", workload.name);
  }
  return {};
}

}  // namespace rooftile
