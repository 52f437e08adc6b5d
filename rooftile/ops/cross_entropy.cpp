#include "rooftile/ops/cross_entropy.hpp"

#include "rooftile/ops/stream_kernels.hpp"

namespace rooftile {
namespace {

constexpr Bytes kSum{4};

RowStream scores_of(const Workload& workload, const Op& op) {
  const Tensor& scores = workload.tensors[op.inputs.front()];
  const StreamRows rows = rows_of(Softmax{}, scores.shape);
  const Bytes element = size_of(scores.dtype);
  return {.rows = rows.rows, .columns = rows.columns, .per_load = elements_of_load(element), .element = element};
}

}  // namespace

bool is_cross_entropy(const Reduce& reduce) {
  return reduce.function == kCrossEntropy || reduce.function == kScatteredCrossEntropy;
}

StreamKernel cross_entropy_kernel(const Workload& workload, const Op& op) {
  RowStream scores = scores_of(workload, op);
  scores.passes = 2;
  StreamKernel kernel = row_kernel(scores, {.softmaxes = 1});
  kernel.write = size_of(workload.tensors[op.outputs.front()]) + kSum * scores.rows;
  return kernel;
}

std::vector<StreamKernel> cross_entropy_gradient(const Workload& workload, const Op& op) {
  const RowStream scores = scores_of(workload, op);
  StreamKernel kernel = row_kernel(scores, {.softmaxes = 1});
  if (std::get<Reduce>(op.kind).function == kCrossEntropy) return {kernel};
  const double elements = scores.rows * scores.columns;
  const Bytes scattered = size_of(workload.tensors[op.outputs.front()].dtype) * elements;
  kernel.read += scattered;
  kernel.reread = scattered;  // once for the row's sum, once for the result
  kernel.row = kernel.read / scores.rows;
  kernel.resteps = kernel.steps + 1;
  return {flat_kernel({}, scattered, elements, {}), kernel};
}

}  // namespace rooftile
