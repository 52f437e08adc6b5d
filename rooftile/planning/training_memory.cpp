#include "rooftile/planning/training_memory.hpp"

#include <algorithm>
#include <array>

#include "rooftile/predict/predict.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"sgd", "momentum", "adam"};
constexpr Bytes kCopy = Bytes(4);  // of a weight in FP32

}  // namespace

std::vector<std::string> optimizer_names() { return {kNames.begin(), kNames.end()}; }

std::optional<Optimizer> parse_optimizer(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Optimizer>(found - kNames.begin());
}

std::string_view name_of(Optimizer optimizer) { return kNames[static_cast<std::size_t>(optimizer)]; }

MemoryUse training_memory(const Workload& stored, Optimizer optimizer) {
  MemoryUse use = memory_use(stored, Phase::step);
  const int copies = static_cast<int>(optimizer);  // sgd 0, momentum 1, adam 2
  for (const Tensor& tensor : stored.tensors) {
    if (!tensor.constant || !is_floating(tensor.dtype)) continue;
    const bool narrow = size_of(tensor.dtype) < kCopy;
    use.weights += size_of(tensor) / size_of(tensor.dtype) * kCopy * (copies + (narrow ? 1 : 0));
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
