#include "rooftile/planning/training_memory.hpp"

#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

constexpr Bytes kCopy = Bytes(4);  // of a weight in FP32

}  // namespace

MemoryUse training_memory(const Workload& stored, Optimizer optimizer) {
  MemoryUse use = memory_use(stored, Phase::step);
  use.optimizer = optimizer_state(stored, optimizer);
  for (const Tensor& tensor : stored.tensors) {
    if (!tensor.constant || !is_floating(tensor.dtype)) continue;
    if (size_of(tensor.dtype) < kCopy) use.optimizer += kCopy * elements(tensor.shape);
  }
  return use;
}

Bytes gradient_bytes(const Workload& stored) {
  Bytes bytes;
  for (const Tensor& tensor : stored.tensors) {
    if (tensor.constant && is_floating(tensor.dtype)) bytes += size_of(tensor);
  }
  return bytes;
}

}  // namespace rooftile
