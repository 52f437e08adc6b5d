// What a training step keeps in memory beyond weights, gradients and activations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {

enum class Optimizer { sgd, momentum, adam };
std::vector<std::string> optimizer_names();
std::optional<Optimizer> parse_optimizer(std::string_view text);
std::string_view name_of(Optimizer optimizer);

// Of a workload stored in its precision: memory_use() of training; FP32 copies of the weights that the optimizer
// keeps (momentum one, Adam two: Kingma and Ba 2015); one more where weights are of fewer than 4 bytes (mixed
// precision: Micikevicius et al. 2018).
MemoryUse training_memory(const Workload& stored, Optimizer optimizer);

// Bytes of all gradients, each as its weight is stored.
Bytes gradient_bytes(const Workload& stored);

}  // namespace rooftile
