// Optimisers: what updating a weight reads, writes and keeps.
//
// PyTorch runs an optimiser over lists of tensors (`foreach`, the default on GPUs since 2.0, and per tensor before):
// one kernel for each of its formulas, each of which streams its operands through memory. A fused one reads and writes
// everything once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

enum class Optimizer { sgd, momentum, adam, adamw, lamb, lars, rmsprop, fused_adam, bert_adam };

std::string_view name_of(Optimizer optimizer);
std::vector<std::string> optimizer_names();
// Those names in any case, or one that tables and frameworks have for one of them ("sgd, momentum", "fused_adamw").
std::optional<Optimizer> parse_optimizer(std::string_view text);

struct UpdatePasses {
  double reads = 0, writes = 0;  // of a value for each weight
  double kernels = 1;            // over all weights of a list
  double operations = 0;         // for each weight
};
// Formulas as torch/optim/{sgd,adam,adamw}.py of PyTorch 2 runs them without weight decay (adamw: with); lamb as in
// NVIDIA's Apex, two kernels and two norms; lars: two norms, and momentum; rmsprop: with weight decay and momentum;
// fused_adam: Apex's FusedAdam, or `fused=True` of PyTorch's; bert_adam: that of the first BERTs in PyTorch, a norm and
// twelve formulas (DeepLearningExamples, PyTorch/LanguageModeling/BERT/optimization.py).
UpdatePasses update_passes(Optimizer optimizer, bool fused);

// Values that are kept for each weight from step to step.
double state_values(Optimizer optimizer);

}  // namespace rooftile
