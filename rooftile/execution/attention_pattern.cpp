#include "rooftile/execution/attention_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rooftile {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

class Matcher {
 public:
  Matcher(const Workload& workload, AttentionCalls calls, const FusedHeads& heads)
      : workload_(workload),
        calls_(calls),
        heads_(heads),
        reader_(workload.tensors.size(), kNobody),
        readers_(workload.tensors.size()) {
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      for (const TensorId id : workload.ops[i].inputs) {
        reader_[id] = i;
        ++readers_[id];
      }
    }
    for (const TensorId id : workload.outputs) ++readers_[id];
  }

  // The ops from the product of queries and keys to that with the values; empty if `first` starts no attention.
  std::vector<std::size_t> match(std::size_t first) const {
    const auto* scores = std::get_if<Gemm>(&workload_.ops[first].kind);
    if (scores == nullptr || scores->batch < 2 || scores->bias || scores->k > heads_.dim) return {};
    if (std::max(scores->m, scores->n) > heads_.positions) return {};
    std::vector<std::size_t> ops = {first};
    bool softmax = false;
    while (const auto next = only_reader(ops.back())) {
      const Op& op = workload_.ops[*next];
      const bool first_input = op.inputs.front() == workload_.ops[ops.back()].outputs.front();
      if (!first_input) return {};
      ops.push_back(*next);
      if (const auto* values = std::get_if<Gemm>(&op.kind)) {
        const bool fits = softmax && values->batch == scores->batch && values->m == scores->m && values->k == scores->n;
        return fits && values->n <= heads_.dim && !values->bias ? ops : std::vector<std::size_t>();
      }
      if (std::holds_alternative<Softmax>(op.kind)) {
        softmax = true;
      } else if (!passes(op, softmax)) {
        return {};
      }
    }
    return {};
  }

 private:
  std::optional<std::size_t> only_reader(std::size_t op) const {
    const TensorId result = workload_.ops[op].outputs.front();
    if (readers_[result] != 1 || reader_[result] == kNobody) return std::nullopt;  // the one may be the outside
    return reader_[result];
  }

  static bool tells_heads_apart(const Shape& bias) {  // heads x queries x keys
    return bias.size() > 2 && bias[bias.size() - 3] > 1;
  }

  // A factor of each head that was known beforehand, as in Swin v2: an engine has a kernel for it.
  bool scales_heads(const Tensor& factors) const {
    const Shape& shape = factors.shape;
    return calls_ == AttentionCalls::all && factors.constant && shape.size() > 2 && shape.back() == 1 &&
           shape[shape.size() - 2] == 1;
  }

  // Whether an op between the products may be part of a fused kernel.
  bool passes(const Op& op, bool after_softmax) const {
    if (std::holds_alternative<View>(op.kind)) return true;
    const auto* elementwise = std::get_if<Elementwise>(&op.kind);
    if (elementwise == nullptr || after_softmax || calls_ == AttentionCalls::modules) return false;
    const std::string& function = elementwise->function;
    if (function != "mul" && function != "div" && function != "add") return false;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {  // a bias of each head and position is not a mask
      const Tensor& other = workload_.tensors[op.inputs[i]];
      const double pairs = elements(workload_.tensors[op.outputs.front()].shape);
      if (function != "add" && elements(other.shape) > 1 && !scales_heads(other)) return false;
      if (function == "add" && elements(other.shape) * 4 > pairs && !other.constant) return false;
      if (calls_ == AttentionCalls::networks && function == "add" && tells_heads_apart(other.shape)) return false;
    }
    return true;
  }

  const Workload& workload_;
  AttentionCalls calls_;
  FusedHeads heads_;
  std::vector<std::size_t> reader_, readers_;  // of each tensor: one, and how many
};

Attention attention_of(const Workload& workload, const Gemm& scores, const Gemm& values) {
  Attention attention;
  const bool whole = scores.batch % workload.batch_size == 0;
  attention.batch = whole ? workload.batch_size : scores.batch;
  attention.heads = attention.kv_heads = scores.batch / attention.batch;
  attention.q_len = scores.m;
  attention.kv_len = scores.n;
  attention.head_dim = scores.k;
  attention.head_dim_v = values.n == scores.k ? 0 : values.n;
  return attention;
}

// Fused kernels read heads wherever they lie, scale the queries and write heads joined: what only prepared that for
// products computes nothing.
class Preparations {
 public:
  explicit Preparations(Workload& workload)
      : workload_(workload), producer_(workload.tensors.size(), kNobody), readers_(workload.tensors.size()) {
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      for (const TensorId id : workload.ops[i].outputs) producer_[id] = i;
      for (const TensorId id : workload.ops[i].inputs) readers_[id].push_back(i);
    }
  }

  void drop() {
    for (const Op& op : workload_.ops) {
      if (!std::holds_alternative<Attention>(op.kind)) continue;
      for (const TensorId id : op.inputs) drop_before(id);
      after(op.outputs.front());
    }
  }

  void drop_before(TensorId id) {
    while (producer_[id] != kNobody && readers_[id].size() == 1 && make_view(producer_[id])) {
      id = workload_.ops[producer_[id]].inputs.front();
    }
  }

 private:
  void after(TensorId id) {
    while (readers_[id].size() == 1 && make_view(readers_[id].front())) {
      id = workload_.ops[readers_[id].front()].outputs.front();
    }
  }

  // One index of the first dimension, as queries, keys and values are of a product of all three: x[0].
  bool takes_one_of(const Op& op) const {
    const auto* move = std::get_if<Move>(&op.kind);
    const Shape& from = workload_.tensors[op.inputs.front()].shape;
    const Shape& to = workload_.tensors[op.outputs.front()].shape;
    return move != nullptr && move->function == "gather" && from.size() == to.size() + 1 &&
           std::equal(to.begin(), to.end(), from.begin() + 1);
  }

  // Whether the op moves or scales, and no more.
  bool make_view(std::size_t i) {
    OpKind& kind = workload_.ops[i].kind;
    if (std::holds_alternative<View>(kind)) return true;
    if (const auto* move = std::get_if<Move>(&kind)) {
      if (move->function != "transpose" && move->function != "slice" && !takes_one_of(workload_.ops[i])) return false;
      kind = View{move->function};
      return true;
    }
    const auto* elementwise = std::get_if<Elementwise>(&kind);
    if (elementwise == nullptr || (elementwise->function != "mul" && elementwise->function != "div")) return false;
    const std::vector<TensorId>& inputs = workload_.ops[i].inputs;
    const bool scalar = inputs.size() == 1 || elements(workload_.tensors[inputs[1]].shape) == 1;
    if (scalar) kind = View{"scale"};
    return scalar;
  }

  Workload& workload_;
  std::vector<std::size_t> producer_;
  std::vector<std::vector<std::size_t>> readers_;
};

}  // namespace

Workload fuse_attention(Workload workload, AttentionCalls calls, const FusedHeads& heads) {
  const Matcher matcher(workload, calls, heads);
  std::vector<bool> gone(workload.ops.size());
  std::vector<std::pair<std::size_t, Op>> fused;  // at the place of its last op
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const std::vector<std::size_t> found = matcher.match(i);
    if (found.empty()) continue;
    const Op& scores = workload.ops[found.front()];
    const Op& values = workload.ops[found.back()];
    Op op{scores.name, attention_of(workload, std::get<Gemm>(scores.kind), std::get<Gemm>(values.kind)), {}, {}};
    op.inputs = {scores.inputs[0], scores.inputs[1], values.inputs[1]};
    op.outputs = values.outputs;
    for (const std::size_t member : found) {
      op.members.push_back(workload.ops[member].name);
      gone[member] = true;
    }
    fused.emplace_back(found.back(), std::move(op));
  }
  const auto is_attention = [](const Op& op) { return std::holds_alternative<Attention>(op.kind); };
  if (fused.empty() && std::none_of(workload.ops.begin(), workload.ops.end(), is_attention)) return workload;
  for (auto& [place, op] : fused) {
    workload.ops[place] = std::move(op);
    gone[place] = false;
  }
  std::vector<Op> ops;
  ops.reserve(workload.ops.size());
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    if (!gone[i]) ops.push_back(std::move(workload.ops[i]));
  }
  workload.ops = std::move(ops);
  Preparations(workload).drop();
  return workload;
}

Workload lay_out_heads(Workload workload, std::int64_t multiple) {
  const Matcher matcher(workload, AttentionCalls::all, {});
  std::vector<std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) found.push_back(matcher.match(i));
  Preparations preparations(workload);
  for (const std::vector<std::size_t>& ops : found) {
    if (ops.empty()) continue;
    Op &scores = workload.ops[ops.front()], &context = workload.ops[ops.back()];
    for (const TensorId id : {scores.inputs[0], scores.inputs[1], context.inputs[1]}) preparations.drop_before(id);
    auto& product = std::get<Gemm>(scores.kind);
    const std::int64_t padded = (product.n + multiple - 1) / multiple * multiple;
    product.n = padded;
    std::get<Gemm>(context.kind).k = padded;
  }
  return workload;
}

}  // namespace rooftile
