#include "rooftile/execution/recompute.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <variant>

namespace rooftile {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 4> kNames = {"none", "selective", "operators", "full"};
constexpr std::size_t kNoReader = std::numeric_limits<std::size_t>::max();

// From a product of two activations through a softmax to the next such product.
std::vector<RecomputedPart> attention_cores(const Workload& workload) {
  std::vector<RecomputedPart> parts;
  RecomputedPart open;
  bool softmax = false;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    const bool product = std::holds_alternative<Gemm>(op.kind) && op.inputs.size() > 1 &&
                         !workload.tensors[op.inputs[1]].constant && std::get<Gemm>(op.kind).batch > 1;
    if (open.empty()) {
      if (product) open = {i};
      continue;
    }
    open.push_back(i);
    softmax = softmax || std::holds_alternative<Softmax>(op.kind);
    const bool elsewhere = std::holds_alternative<Gemm>(op.kind) && !product;
    if (!product && !elsewhere) continue;
    if (product && softmax) parts.push_back(open);
    open.clear();
    softmax = false;
  }
  return parts;
}

// Of all tensors: weights, as they are or converted.
std::vector<bool> weights_among(const Workload& workload) {
  std::vector<bool> weights;
  for (const Tensor& tensor : workload.tensors) weights.push_back(tensor.constant);
  for (const Op& op : workload.ops) {
    const auto* move = std::get_if<Move>(&op.kind);
    if (move == nullptr || move->function != "cast") continue;
    for (const TensorId id : op.outputs) weights[id] = weights[op.inputs.front()];
  }
  return weights;
}

bool is_linear(const Op& op, const std::vector<bool>& weights) {
  return std::holds_alternative<Gemm>(op.kind) && op.inputs.size() > 1 && weights[op.inputs[1]];
}

// "layer3" of "layer3/mlp/up"; of what belongs to no module nothing.
std::string_view module_of(const Op& op) {
  const std::string_view name = op.name;
  const std::size_t end = name.find('/');
  return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

// Of the operators from `first` until `end`, a module: what its checkpoint runs again under the policy of torchtitan
// (torchtitan/parallelisms/parallelize_llama.py, _apply_ac_to_transformer_block), which keeps what fused attention and
// products write, but not that of every second product, nor of FP8 ones (torch._scaled_mm is not on its list). PyTorch
// stops once all that gradients need is there, before the last product (torch.utils.checkpoint, early_stop).
RecomputedPart all_but_kept(const Workload& workload, const std::vector<bool>& weights, std::size_t first,
                            std::size_t end) {
  while (end > first && !is_linear(workload.ops[end - 1], weights)) --end;
  RecomputedPart part;
  std::size_t products = 0;
  for (std::size_t i = first; i + 1 < end; ++i) {
    const Op& op = workload.ops[i];
    bool kept = std::holds_alternative<Attention>(op.kind);
    if (is_linear(op, weights)) {
      kept = ++products % 2 == 1 && !is_narrow_float(workload.tensors[op.inputs.front()].dtype);
    }
    if (!kept) part.push_back(i);
  }
  return part;
}

std::vector<RecomputedPart> in_modules(const Workload& workload) {
  const std::vector<bool> weights = weights_among(workload);
  std::vector<RecomputedPart> parts;
  for (std::size_t first = 0, end = 0; first < workload.ops.size(); first = end) {
    const std::string_view module = module_of(workload.ops[first]);
    while (end < workload.ops.size() && module_of(workload.ops[end]) == module) ++end;
    if (module.empty()) continue;
    RecomputedPart part = all_but_kept(workload, weights, first, end);
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

// Places after which one activation that gradients pass through leads on to all that follows.
std::vector<std::size_t> cuts(const Workload& workload) {
  std::vector<bool> passes(workload.tensors.size());  // a gradient
  std::vector<std::size_t> last(workload.tensors.size(), kNoReader);
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const Op& op = workload.ops[i];
    const bool any = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
      return passes[id] || (workload.tensors[id].constant && is_floating(workload.tensors[id].dtype));
    });
    for (const TensorId id : op.outputs) passes[id] = any;
    for (const TensorId id : op.inputs) last[id] = i;
  }
  std::vector<std::size_t> found;
  std::size_t alive = 0;
  std::vector<std::size_t> ending(workload.ops.size());
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    for (const TensorId id : workload.ops[i].outputs) {
      if (!passes[id] || last[id] == kNoReader) continue;
      ++alive;
      ++ending[last[id]];
    }
    alive -= ending[i];
    if (alive == 1) found.push_back(i);
  }
  return found;
}

// Bytes that ranges of operators write.
class Written {
 public:
  explicit Written(const Workload& workload) : until_(workload.ops.size() + 1) {
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      until_[i + 1] = until_[i];
      for (const TensorId id : workload.ops[i].outputs) until_[i + 1] += size_of(workload.tensors[id]).value();
    }
  }
  double of(std::size_t first, std::size_t last) const { return until_[last + 1] - until_[first]; }
  double all() const { return until_.back(); }
  std::size_t ops() const { return until_.size() - 1; }

 private:
  std::vector<double> until_;
};

// Parts between cuts that together hold no more than `most` each, as far as the cuts allow; and what they need: the
// results of the parts, and the inside of the largest.
struct Grouping {
  std::vector<RecomputedPart> parts;
  double bytes = 0;
};

Grouping grouped(const Written& written, const std::vector<std::size_t>& ends, double most) {
  Grouping result;
  double largest = 0;
  std::size_t first = 0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const bool more = k + 1 < ends.size() && written.of(first, ends[k + 1]) <= most;
    if (more) continue;
    RecomputedPart part;
    for (std::size_t i = first; i <= ends[k]; ++i) part.push_back(i);
    result.bytes += written.of(ends[k], ends[k]);
    largest = std::max(largest, written.of(first, ends[k]));
    result.parts.push_back(std::move(part));
    first = ends[k] + 1;
  }
  // What follows the last cut is kept.
  if (first < written.ops()) largest = std::max(largest, written.of(first, written.ops() - 1));
  result.bytes += largest;
  return result;
}

std::vector<RecomputedPart> between_cuts(const Workload& workload) {
  const std::vector<std::size_t> ends = cuts(workload);
  if (ends.empty()) return {};
  const Written written(workload);
  Grouping best;
  constexpr double kMostParts = 4096;
  for (double parts = 2; parts <= kMostParts; parts *= 2) {
    Grouping next = grouped(written, ends, written.all() / parts);
    if (best.parts.empty() || next.bytes < best.bytes) best = std::move(next);
  }
  return best.parts;
}

}  // namespace

std::string_view name_of(Recompute recompute) { return kNames[static_cast<std::size_t>(recompute)]; }

std::vector<std::string> recompute_names() { return {kNames.begin(), kNames.end()}; }

std::optional<Recompute> parse_recompute(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Recompute>(found - kNames.begin());
}

std::vector<RecomputedPart> recomputed_parts(const Workload& workload, Recompute recompute) {
  switch (recompute) {
    case Recompute::none:
      break;
    case Recompute::selective:
      return attention_cores(workload);
    case Recompute::operators:
      return in_modules(workload);
    case Recompute::full:
      return between_cuts(workload);
  }
  return {};
}

}  // namespace rooftile
