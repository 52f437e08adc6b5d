#include "rooftile/workload/any_batch.hpp"

#include <utility>
#include <variant>

namespace rooftile {
namespace {

// The sizes of an op's own geometry that a batch may change; kinds without any read them off their tensors.
std::vector<std::int64_t*> sizes_of(OpKind& kind) {
  if (auto* conv = std::get_if<Conv>(&kind)) return {&conv->batch};
  if (auto* gemm = std::get_if<Gemm>(&kind)) return {&gemm->batch, &gemm->m, &gemm->n, &gemm->k};
  if (auto* attention = std::get_if<Attention>(&kind)) return {&attention->batch};
  if (auto* recurrent = std::get_if<Recurrent>(&kind)) return {&recurrent->batch};
  return {};
}

std::vector<std::int64_t*> sizes_of(Workload& workload) {
  std::vector<std::int64_t*> sizes;
  for (Tensor& tensor : workload.tensors) {
    for (std::int64_t& size : tensor.shape) sizes.push_back(&size);
  }
  for (Op& op : workload.ops) {
    for (std::int64_t* size : sizes_of(op.kind)) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

std::optional<AnyBatch> AnyBatch::from(Workload one, Workload other) {
  const std::int64_t first = one.batch_size, second = other.batch_size;
  AnyBatch any(std::move(one));
  const std::vector<std::int64_t*> mine = sizes_of(any.workload_), theirs = sizes_of(other);
  if (first == second || mine.size() != theirs.size()) return std::nullopt;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (*mine[i] == *theirs[i]) continue;
    if (*mine[i] % first != 0 || *mine[i] / first * second != *theirs[i]) return std::nullopt;
    any.sizes_.push_back({mine[i], *mine[i] / first});
    *theirs[i] = *mine[i];
  }
  other.batch_size = first;
  if (!(other == any.workload_)) return std::nullopt;  // all else is the same
  return any;
}

const Workload& AnyBatch::at(std::int64_t batch) {
  workload_.batch_size = batch;
  for (const Size& size : sizes_) *size.place = size.of_one * batch;
  return workload_;
}

}  // namespace rooftile
