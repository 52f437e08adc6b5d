#include "rooftile/ingest/onnx_attention.hpp"

#include <optional>
#include <string>
#include <utility>

#include "rooftile/ingest/onnx_index.hpp"

namespace rooftile {
namespace {

constexpr int kLongestChain = 8;  // nodes between a product and the softmax

class AttentionFinder {
 public:
  explicit AttentionFinder(const OnnxGraph& graph) : graph_(graph), index_(graph) {}

  // What `end`, the product of the softmax with the values, is the end of.
  std::optional<OnnxNode> find(const OnnxNode& end) const {
    if (end.type != "MatMul" || end.inputs.size() != 2) return std::nullopt;
    const OnnxNode* softmax = softmax_before(end.inputs[0]);
    if (softmax == nullptr) return std::nullopt;
    bool causal = false;
    const OnnxNode* product = product_before(softmax->inputs[0], causal);
    if (product == nullptr) return std::nullopt;
    return fused(end, unscaled(product->inputs[0]), untransposed(unscaled(product->inputs[1])), causal);
  }

 private:
  const Shape& shape(ValueId id) const { return graph_.shape(id); }

  // What passes its first input on: at inference nothing, in training a mask that fused kernels apply as well.
  static bool passes_on(const OnnxNode& node) {
    return node.type == "Dropout" || node.type == "Identity" || node.type == "Cast";
  }

  const OnnxNode* softmax_before(ValueId id) const {
    for (int step = 0; step < kLongestChain; ++step) {
      const OnnxNode* node = index_.from(id);
      if (node == nullptr || index_.readers(id).size() != 1) return nullptr;
      if (node->type == "Softmax") {
        const auto rank = static_cast<std::int64_t>(shape(id).size());
        const std::int64_t axis = node->get_int("axis", graph_.opset < 13 ? 1 : -1);
        return axis == -1 || axis == rank - 1 ? node : nullptr;
      }
      if (!passes_on(*node)) return nullptr;
      id = node->inputs[0];
    }
    return nullptr;
  }

  // The product whose scaled and masked result `id` is.
  const OnnxNode* product_before(ValueId id, bool& causal) const {
    for (int step = 0; step < kLongestChain; ++step) {
      const OnnxNode* node = index_.from(id);
      if (node == nullptr || index_.readers(id).size() != 1) return nullptr;
      if (node->type == "MatMul") return node->inputs.size() == 2 ? node : nullptr;
      const auto next = before(*node, causal);
      if (!next) return nullptr;
      id = *next;
    }
    return nullptr;
  }

  // What a step between product and softmax was applied to.
  std::optional<ValueId> before(const OnnxNode& node, bool& causal) const {
    if (passes_on(node)) return node.inputs[0];
    if (node.type == "Reshape") {  // batch and heads in one dimension, or apart
      const Shape& from = shape(node.inputs[0]);
      const Shape& to = shape(node.outputs[0]);
      const bool same_matrices =
          from.size() >= 2 && to.size() >= 2 && from.back() == to.back() && from[from.size() - 2] == to[to.size() - 2];
      return same_matrices ? std::optional(node.inputs[0]) : std::nullopt;
    }
    if (node.type == "Div" || node.type == "Mul") return unscaled_operand(node);
    if (node.type == "Where" && node.inputs.size() == 3) {
      const ValueId scores = elements(shape(node.inputs[1])) > 1 ? node.inputs[1] : node.inputs[2];
      return masked(node, scores, node.inputs[0], causal);
    }
    if (node.type != "Add") return std::nullopt;
    for (const auto& [scores, mask] : OnnxIndex::orders(node)) {
      if (const auto found = masked(node, scores, mask, causal)) return found;
    }
    return std::nullopt;
  }

  std::optional<ValueId> masked(const OnnxNode& node, ValueId scores, ValueId mask, bool& causal) const {
    const Shape& of_mask = shape(mask);
    const Shape& of_scores = shape(scores);
    const std::size_t rank = of_scores.size();
    if (of_scores != shape(node.outputs[0]) || of_mask.size() > rank || rank < 3) return std::nullopt;
    // A dimension of the mask from the innermost on; 1 where it has none.
    const auto dimension = [&](std::size_t from_end) {
      return from_end <= of_mask.size() ? of_mask[of_mask.size() - from_end] : 1;
    };
    if (dimension(3) != 1) return std::nullopt;  // of its own for each head
    // A mask that is known beforehand and the same for all samples hides the future.
    const bool square = dimension(1) == dimension(2) && dimension(1) > 1;
    causal = causal ||
             (graph_.values[mask].constant && square && elements(of_mask) == elements({dimension(1), dimension(2)}));
    return scores;
  }

  // The operand of a division by, or product with, one number.
  std::optional<ValueId> unscaled_operand(const OnnxNode& node) const {
    const auto is_number = [&](ValueId id) { return id != kAbsent && elements(shape(id)) == 1; };
    if (node.inputs.size() != 2) return std::nullopt;
    if (is_number(node.inputs[1])) return node.inputs[0];
    if (node.type == "Mul" && is_number(node.inputs[0])) return node.inputs[1];
    return std::nullopt;
  }

  ValueId unscaled(ValueId id) const {
    const OnnxNode* node = index_.from(id);
    if (node == nullptr || (node->type != "Mul" && node->type != "Div")) return id;
    return unscaled_operand(*node).value_or(id);
  }

  ValueId untransposed(ValueId id) const {
    const OnnxNode* node = index_.from(id, "Transpose");
    return node != nullptr ? unscaled(node->inputs[0]) : id;
  }

  std::optional<OnnxNode> fused(const OnnxNode& end, ValueId q, ValueId k, bool causal) const {
    const ValueId v = end.inputs[1];
    const Shape& queries = shape(q);
    const Shape& values = shape(v);
    if (queries.size() < 3 || queries.size() != values.size()) return std::nullopt;
    const std::size_t rank = queries.size();
    const std::int64_t q_len = queries[rank - 2], head_dim = queries[rank - 1];
    const std::int64_t kv_len = values[rank - 2], head_dim_v = values[rank - 1];
    const Shape outer(queries.begin(), queries.end() - 2);
    const double count = elements(outer);
    if (Shape(values.begin(), values.end() - 2) != outer ||
        elements(shape(k)) != count * static_cast<double>(kv_len) * static_cast<double>(head_dim)) {
      return std::nullopt;
    }
    OnnxNode node = end;
    node.type = "FusedAttention";
    if (const auto slash = node.name.rfind('/'); slash != std::string::npos) {
      node.name = node.name.substr(0, slash + 1) + "Attention";
    }
    node.inputs = {q, k, v};
    const std::int64_t heads = outer.size() > 1 ? outer.back() : 1;
    node.attributes = {{"batch", static_cast<std::int64_t>(count) / heads},
                       {"heads", heads},
                       {"q_len", q_len},
                       {"kv_len", kv_len},
                       {"head_dim", head_dim},
                       {"head_dim_v", head_dim_v},
                       {"causal", std::int64_t{causal && q_len == kv_len}}};
    return node;
  }

  const OnnxGraph& graph_;
  OnnxIndex index_;
};

}  // namespace

void fuse_attention(OnnxGraph& graph) {
  const AttentionFinder finder(graph);
  std::vector<std::pair<std::size_t, OnnxNode>> found;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (auto node = finder.find(graph.nodes[i])) found.emplace_back(i, *std::move(node));
  }
  for (auto& [at, node] : found) graph.nodes[at] = std::move(node);
}

Result<OpKind> make_fused_attention(const OnnxGraph&, const OnnxNode& node) {
  Attention attention;
  attention.batch = node.get_int("batch", 1);
  attention.heads = node.get_int("heads", 1);
  attention.kv_heads = node.get_int("kv_heads", attention.heads);
  attention.window = node.get_int("window", 0);
  attention.q_len = node.get_int("q_len", 1);
  attention.kv_len = node.get_int("kv_len", 1);
  attention.head_dim = node.get_int("head_dim", 1);
  const std::int64_t head_dim_v = node.get_int("head_dim_v", attention.head_dim);
  if (head_dim_v != attention.head_dim) attention.head_dim_v = head_dim_v;
  attention.causal = node.get_int("causal", 0) != 0;
  return attention;
}

}  // namespace rooftile
