#include "rooftile/execution/strides.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace rooftile {
namespace {

// The dimensions of a tensor as its data lie, outermost first; empty: in their own order.
using Order = std::vector<std::size_t>;

Order simplified(Order order) { return std::is_sorted(order.begin(), order.end()) ? Order() : order; }

// Where each dimension of a transposed tensor comes from, read off the shapes: dimensions of equal size keep their
// order. Nothing if the shapes are not of one another.
std::optional<Order> sources(const Shape& from, const Shape& to) {
  if (from.size() != to.size()) return std::nullopt;
  Order result;
  std::vector<bool> taken(from.size());
  for (const std::int64_t size : to) {
    std::size_t i = 0;
    while (i < from.size() && (taken[i] || from[i] != size)) ++i;
    if (i == from.size()) return std::nullopt;
    taken[i] = true;
    result.push_back(i);
  }
  return result;
}

// The order of a tensor whose dimension i was dimension source[i].
Order permuted(const Order& order, const Order& source) {
  Order in_order(source.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const Order& lies = order.empty() ? in_order : order;
  Order result;
  for (const std::size_t dimension : lies) {
    result.push_back(static_cast<std::size_t>(std::find(source.begin(), source.end(), dimension) - source.begin()));
  }
  return simplified(std::move(result));
}

Order channels_last(std::size_t rank) {
  Order order = {0};
  for (std::size_t i = 2; i < rank; ++i) order.push_back(i);
  if (rank > 1) order.push_back(1);
  return simplified(std::move(order));
}

// How a tensor lies in memory.
struct Layout {
  Order order;
  bool sliced = false;  // out of a larger one

  bool contiguous() const { return order.empty() && !sliced; }
};

// Products read a matrix either way round.
bool is_matrix_transposed(const Layout& layout) {
  const Order& order = layout.order;
  const std::size_t rank = order.size();
  if (layout.sliced || rank < 2) return false;
  return order[rank - 1] == rank - 2 && order[rank - 2] == rank - 1 && std::is_sorted(order.begin(), order.end() - 2);
}

// Batched products read matrices a fixed stride apart, each of which has contiguous rows or columns
// (prepare_batch_matrix_for_cublas() in aten/src/ATen/native/cuda/Blas.cpp). Of more batch dimensions matmul() makes
// one first, for which the data move.
bool is_batch_of_matrices(const Layout& layout) {
  constexpr std::size_t kRank = 3;
  const Order& order = layout.order;
  return order.empty() || (order.size() == kRank && order.back() != 0);
}

// The order of what is left without a dimension.
Order without(const Order& order, std::size_t dimension) {
  Order result;
  for (const std::size_t each : order) {
    if (each != dimension) result.push_back(each > dimension ? each - 1 : each);
  }
  return simplified(std::move(result));
}

// What an operator does with the layout of its first input.
enum class Use { keeps, takes_any, needs_contiguous };

struct UseOf {
  Use operator()(const Conv&) const { return Use::takes_any; }
  Use operator()(const Reduce&) const { return Use::takes_any; }
  Use operator()(const Attention&) const { return Use::takes_any; }  // heads wherever they lie
  Use operator()(const Elementwise&) const { return Use::keeps; }
  Use operator()(const Pool&) const { return Use::keeps; }
  Use operator()(const Normalize& norm) const {
    return norm.function == "batch" || norm.function == "lrn" ? Use::keeps : Use::needs_contiguous;
  }
  Use operator()(const Move& move) const {
    for (const char* copies : {"cast", "concat", "pad"}) {
      if (move.function == copies) return Use::keeps;
    }
    return Use::needs_contiguous;
  }
  Use operator()(const View& view) const {
    if (is_dropout(view) || view.function == "identity") return Use::keeps;
    const bool of_attention = view.function == "transpose" || view.function == "slice" || view.function == "scale";
    return of_attention ? Use::takes_any : Use::needs_contiguous;
  }
  template <class Other>
  Use operator()(const Other&) const {
    return Use::needs_contiguous;
  }
};

class Strides {
 public:
  Strides(Workload workload, const StrideRules& rules)
      : workload_(std::move(workload)), rules_(rules), layouts_(workload_.tensors.size()) {
    for (const TensorId id : workload_.inputs) {
      if (rules_.nhwc && is_map(id)) layouts_[id].order = channels_last(shape(id).size());
    }
  }

  Workload run() {
    std::vector<Op> ops = std::move(workload_.ops);
    workload_.ops.clear();
    workload_.ops.reserve(ops.size());
    for (Op& op : ops) {
      if (!op.inputs.empty() && !op.outputs.empty() && !make_view(op)) place(op);
      workload_.ops.push_back(std::move(op));
    }
    return std::move(workload_);
  }

 private:
  const Shape& shape(TensorId id) const { return workload_.tensors[id].shape; }
  bool is_map(TensorId id) const { return shape(id).size() >= 4; }

  bool make_view(Op& op) {
    const auto* move = std::get_if<Move>(&op.kind);
    if (move == nullptr || op.outputs.size() != 1) return false;
    const TensorId input = op.inputs.front(), output = op.outputs.front();
    if (move->function == "transpose") {
      const auto from = sources(shape(input), shape(output));
      if (!from) return false;
      layouts_[output] = layouts_[input];
      // Of a weight a product takes either.
      if (!workload_.tensors[input].constant) layouts_[output].order = permuted(layouts_[input].order, *from);
    } else if (move->function == "slice" && !rules_.training && shape(input).size() == shape(output).size()) {
      layouts_[output] = layouts_[input];
      layouts_[output].sliced = layouts_[input].sliced || !is_outermost(layouts_[input], first_difference(op), input);
    } else if (move->function == "gather" && !rules_.training && is_selection(op)) {
      const std::size_t dimension = first_difference(op);
      layouts_[output] = {without(layouts_[input].order, dimension),
                          layouts_[input].sliced || !is_outermost(layouts_[input], dimension, input)};
    } else {
      return false;
    }
    op.kind = View{move->function};
    return true;
  }

  // Of inputs that lie differently the result is taken for contiguous.
  bool lie_alike(const Op& op) const {
    const TensorId first = op.inputs.front();
    return std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
      return shape(id) != shape(first) || layouts_[id].order == layouts_[first].order;
    });
  }

  // One index of one dimension: x[:, 0].
  bool is_selection(const Op& op) const {
    const Shape& from = shape(op.inputs.front());
    const Shape& to = shape(op.outputs.front());
    if (from.size() != to.size() + 1 || op.inputs.size() > 2) return false;
    Shape expected = from;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(first_difference(op)));
    return expected == to;
  }

  std::size_t first_difference(const Op& op) const {
    const Shape& from = shape(op.inputs.front());
    const Shape& to = shape(op.outputs.front());
    const auto ends = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
    return static_cast<std::size_t>(ends.first - from.begin());
  }

  // Whether no dimension of several lies outside of that one: what is left of it is in one piece.
  bool is_outermost(const Layout& layout, std::size_t dimension, TensorId id) const {
    const Shape& sizes = shape(id);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t here = layout.order.empty() ? i : layout.order[i];
      if (here == dimension) return true;
      if (sizes[here] > 1) return false;
    }
    return true;
  }

  void place(Op& op) {
    const TensorId input = op.inputs.front(), output = op.outputs.front();
    Use use = std::visit(UseOf{}, op.kind);
    // A reshape to the same shape, a concatenation of one tensor, padding by nothing.
    const bool same = std::holds_alternative<View>(op.kind) && shape(output) == shape(input);
    if (same && use == Use::needs_contiguous) use = Use::keeps;
    if (use == Use::keeps && shape(output).size() == shape(input).size()) {
      const bool view = std::holds_alternative<View>(op.kind);
      layouts_[output] = {lie_alike(op) ? layouts_[input].order : Order(), view && layouts_[input].sliced};
    }
    if (std::holds_alternative<Conv>(op.kind)) {
      const bool planes = layouts_[input].order != channels_last(shape(input).size());
      if (rules_.nhwc && is_map(input) && planes) op.inputs.front() = copied(input);
      layouts_[output] = maps_of(input);
    }
    if (use != Use::needs_contiguous) return;
    const bool batched = is_batched_product(op);
    for (TensorId& id : op.inputs) {
      if (!layouts_[id].contiguous() && !reads(op, layouts_[id], batched)) id = copied(id);
    }
  }

  // torch.bmm: of two activations of three dimensions.
  bool is_batched_product(const Op& op) const {
    constexpr std::size_t kOperands = 2, kRank = 3;
    if (!std::holds_alternative<Gemm>(op.kind) || op.inputs.size() < kOperands) return false;
    return std::all_of(op.inputs.begin(), op.inputs.begin() + kOperands,
                       [&](TensorId id) { return shape(id).size() == kRank && !workload_.tensors[id].constant; });
  }

  static bool reads(const Op& op, const Layout& layout, bool batched) {
    if (batched) return is_batch_of_matrices(layout);
    return std::holds_alternative<Gemm>(op.kind) && is_matrix_transposed(layout);
  }

  // Of a convolution: channels stay last where they come so.
  Layout maps_of(TensorId input) const {
    const Order last = channels_last(shape(input).size());
    const bool comes_so = !last.empty() && layouts_[input].order == last;
    return {rules_.nhwc || comes_so ? last : Order(), false};
  }

  TensorId copied(TensorId id) {
    Tensor copy = workload_.tensors[id];
    copy.name += ".contiguous";
    const TensorId result = workload_.tensors.size();
    workload_.ops.push_back({copy.name, Move{.function = "transpose"}, {id}, {result}});
    workload_.tensors.push_back(std::move(copy));
    layouts_.emplace_back();
    return result;
  }

  Workload workload_;
  StrideRules rules_;
  std::vector<Layout> layouts_;  // of each tensor
};

}  // namespace

Workload move_where_needed(Workload workload, const StrideRules& rules) {
  return Strides(std::move(workload), rules).run();
}

}  // namespace rooftile
