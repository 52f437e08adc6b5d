#include "rooftile/execution/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/ops/stream_kernels.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// What an operator may be in a kernel of several.
enum class Role {
  alone,
  pointwise,  // each element by itself
  rows,       // needs whole rows: softmax, layer normalisation
  batch,      // needs the whole tensor, then each element: batch normalisation in training
  reduction,  // ends a kernel with fewer elements
  product,    // starts a kernel with an epilogue
};

struct RoleOf {
  const Workload& workload;
  const Op& op;
  FusionRules rules;

  Role operator()(const Conv&) const { return rules.conv_epilogues ? Role::product : Role::alone; }
  Role operator()(const Gemm&) const {
    const bool sums = workload.tensors[op.outputs.front()].dtype == DType::int32;  // for another kernel to scale
    return rules.epilogues && !sums && op.outputs.size() == 1 ? Role::product : Role::alone;
  }
  Role operator()(const Elementwise&) const { return Role::pointwise; }
  Role operator()(const View&) const {
    // A part of a tensor is read where it lies, and no more of the tensor.
    const double of = elements(workload.tensors[op.inputs.front()].shape);
    return of > elements(workload.tensors[op.outputs.front()].shape) ? Role::alone : Role::pointwise;
  }
  Role operator()(const Softmax&) const { return Role::rows; }
  Role operator()(const Normalize& norm) const {
    if (norm.function == "batch") return rules.training ? Role::batch : Role::pointwise;
    return norm.function == "lrn" ? Role::alone : Role::rows;
  }
  Role operator()(const Move& move) const {
    for (const char* copies : {"cast", "transpose", "expand"}) {
      if (move.function == copies) return Role::pointwise;
    }
    // Inductor indexes into what it concatenates (config.max_pointwise_cat_inputs) and pads; engines copy.
    constexpr std::size_t kMostConcatenated = 8;
    if (rules.epilogues) return Role::alone;
    const bool joins = move.function == "concat" && op.inputs.size() <= kMostConcatenated;
    return joins || move.function == "pad" || move.function == "roll" ? Role::pointwise : Role::alone;
  }
  Role operator()(const Pool& pool) const {
    const Shape& output = workload.tensors[op.outputs.front()].shape;
    return is_global(pool, workload.tensors[op.inputs.front()].shape, output) ? Role::reduction : Role::alone;
  }
  Role operator()(const Reduce&) const { return Role::reduction; }
  template <class Other>
  Role operator()(const Other&) const {
    return Role::alone;
  }
};

bool is_silu(const Op& op) {
  const auto* function = std::get_if<Elementwise>(&op.kind);
  return function != nullptr && function->function == "silu";
}

struct Group {
  std::vector<std::size_t> members;  // in the order of the network
  std::size_t place = 0;             // the operator in whose place it runs
  double elements = 0;               // of its results
  std::size_t head = kNone;          // the member whose kind the kernel has: a product, or what needs rows
  bool open = true;                  // takes more
};

class Fuser {
 public:
  Fuser(const Workload& workload, const FusionRules& rules)
      : workload_(workload),
        rules_(rules),
        group_of_(workload.ops.size(), kNone),
        producer_(workload.tensors.size(), kNone) {
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      for (const TensorId id : workload.ops[i].outputs) producer_[id] = i;
    }
    readers_.resize(workload.tensors.size());
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      for (const TensorId id : workload.ops[i].inputs) readers_[id].push_back(i);
    }
  }

  Workload run() {
    for (std::size_t i = 0; i < workload_.ops.size(); ++i) place(i);
    return rebuilt();
  }

 private:
  const Op& op(std::size_t i) const { return workload_.ops[i]; }
  double elements_of(TensorId id) const { return elements(workload_.tensors[id].shape); }

  void place(std::size_t i) {
    const Role role = std::visit(RoleOf{workload_, op(i), rules_}, op(i).kind);
    // What others read as well is written before it is reduced (squeeze and excitation).
    const bool shared = role == Role::reduction && readers_[op(i).inputs.front()].size() > 1;
    const bool joins = role != Role::alone && role != Role::product && !shared;
    if (joins) {
      const double size = elements_of(role == Role::reduction ? op(i).inputs.front() : op(i).outputs.front());
      for (const std::size_t other : groups_before(i)) {
        if (other != group_of_[i]) try_join(i, other, role, size);
      }
      if (group_of_[i] != kNone) return;
    }
    Group group;
    group.members = {i};
    group.place = i;
    group.elements = elements_of(op(i).outputs.front());
    if (role != Role::pointwise) group.head = i;
    group.open = role != Role::alone && role != Role::reduction;
    group_of_[i] = groups_.size();
    groups_.push_back(std::move(group));
    const auto* move = std::get_if<Move>(&op(i).kind);
    if (role == Role::pointwise && move != nullptr && move->function == "concat") take_parts(i);
  }

  // What a concatenation alone reads is computed where it is put.
  void take_parts(std::size_t i) {
    for (const std::size_t which : groups_before(i)) {
      const Group& part = groups_[which];
      if (which != group_of_[i] && part.open && part.head == kNone && feeds_only(which, i)) merge(group_of_[i], which);
    }
  }

  bool feeds_only(std::size_t which, std::size_t i) const {
    const auto within = [&](std::size_t reader) { return reader == i || group_of_[reader] == which; };
    for (const std::size_t member : groups_[which].members) {
      for (const TensorId id : op(member).outputs) {
        if (is_output(id) || !std::all_of(readers_[id].begin(), readers_[id].end(), within)) return false;
      }
    }
    return true;
  }

  bool is_output(TensorId id) const {
    return std::find(workload_.outputs.begin(), workload_.outputs.end(), id) != workload_.outputs.end();
  }

  // Those that the inputs of i come from, the latest first.
  std::vector<std::size_t> groups_before(std::size_t i) const {
    std::vector<std::size_t> before;
    for (const TensorId id : op(i).inputs) {
      if (producer_[id] != kNone && group_of_[producer_[id]] != kNone) before.push_back(group_of_[producer_[id]]);
    }
    std::stable_sort(before.begin(), before.end(),
                     [&](std::size_t a, std::size_t b) { return groups_[a].place > groups_[b].place; });
    return before;
  }

  // Adds operator i to a group, or merges the group that it is in already.
  void try_join(std::size_t i, std::size_t which, Role role, double size) {
    Group& group = groups_[which];
    if (!group.open || group.elements != size) return;
    if (rules_.gates_apart && is_silu(op(i)) && has_convolution(group)) return;
    const bool heads = role == Role::rows || role == Role::batch || role == Role::reduction;
    // Statistics come before all else of their kernel, and no kernel has two of what needs more than an element.
    if (role == Role::batch || (heads && group.head != kNone)) return;
    const std::size_t own = group_of_[i];
    if (own != kNone) {
      const Group& mine = groups_[own];
      if (mine.head != kNone && group.head != kNone) return;
      if (!can_wait(group, which, own, i)) return;
      merge(own, which);
      return;
    }
    const std::size_t moved = needs_to_move(i, group) ? i : group.place;
    if (moved != group.place && !can_wait(group, which, which, i)) return;
    group.place = moved;
    group.members.push_back(i);
    if (heads) group.head = i;
    if (role == Role::reduction) {
      group.open = false;
      group.elements = elements_of(op(i).outputs.front());
    }
    group_of_[i] = which;
  }

  bool has_convolution(const Group& group) const {
    return group.head != kNone && std::holds_alternative<Conv>(op(group.head).kind);
  }

  // Whether an input of i is there only after the group has run.
  bool needs_to_move(std::size_t i, const Group& group) const {
    return std::any_of(op(i).inputs.begin(), op(i).inputs.end(), [&](TensorId id) {
      const std::size_t from = producer_[id];
      if (from == kNone) return false;
      const std::size_t of = group_of_[from];
      if (of != kNone && &groups_[of] == &group) return false;
      return (of == kNone ? from : groups_[of].place) > group.place;
    });
  }

  // Whether nothing outside two groups that runs before operator i reads what a group writes.
  bool can_wait(const Group& group, std::size_t first, std::size_t second, std::size_t i) const {
    for (const std::size_t member : group.members) {
      for (const TensorId id : op(member).outputs) {
        for (const std::size_t reader : readers_[id]) {
          if (reader >= i) continue;
          const std::size_t of = group_of_[reader];
          if (of == first || of == second) continue;
          if (of == kNone || groups_[of].place < i) return false;
        }
      }
    }
    return true;
  }

  void merge(std::size_t into, std::size_t from) {
    Group& a = groups_[into];
    Group& b = groups_[from];
    for (const std::size_t member : b.members) group_of_[member] = into;
    a.members.insert(a.members.end(), b.members.begin(), b.members.end());
    std::sort(a.members.begin(), a.members.end());
    a.place = std::max(a.place, b.place);
    if (a.head == kNone) a.head = b.head;
    b = Group();
    b.open = false;
  }

  Workload rebuilt() const {
    std::vector<const Group*> order;
    for (const Group& group : groups_) {
      if (!group.members.empty()) order.push_back(&group);
    }
    std::stable_sort(order.begin(), order.end(), [](const Group* a, const Group* b) { return a->place < b->place; });
    Workload result = workload_;
    result.ops.clear();
    for (const Group* group : order) result.ops.push_back(kernel_of(*group));
    return result;
  }

  bool within(const Group& group, std::size_t i) const {
    return std::binary_search(group.members.begin(), group.members.end(), i);
  }

  Op kernel_of(const Group& group) const {
    if (group.members.size() == 1) return op(group.members.front());
    const std::size_t head = group.head == kNone ? group.members.front() : group.head;
    Op kernel{op(head).name, op(head).kind, {}, {}};
    // Inputs of the head first, as its kind has them, unless the kernel itself computes them.
    for (const TensorId id : op(head).inputs) add_input(group, id, kernel);
    const auto add_outputs = [&](std::size_t member) {  // the head's first, as its kind has it
      for (const TensorId id : op(member).outputs) {
        if (is_read_outside(group, id)) kernel.outputs.push_back(id);
      }
    };
    add_outputs(head);
    for (const std::size_t member : group.members) {
      for (const TensorId id : op(member).inputs) add_input(group, id, kernel);
      if (member != head) add_outputs(member);
      kernel.members.push_back(op(member).name);
    }
    if (kernel.outputs.empty()) kernel.outputs = op(group.members.back()).outputs;
    if (group.head == kNone) kernel.kind = chain_of(group);
    return kernel;
  }

  void add_input(const Group& group, TensorId id, Op& kernel) const {
    const bool inner = producer_[id] != kNone && within(group, producer_[id]);
    if (inner || std::find(kernel.inputs.begin(), kernel.inputs.end(), id) != kernel.inputs.end()) return;
    kernel.inputs.push_back(id);
  }

  bool is_read_outside(const Group& group, TensorId id) const {
    return is_output(id) ||
           std::any_of(readers_[id].begin(), readers_[id].end(), [&](std::size_t i) { return !within(group, i); });
  }

  // A view where nothing is computed, else an element-wise operator with the arithmetic of all, of whose results those
  // that are concatenated are a part.
  OpKind chain_of(const Group& group) const {
    Elementwise chain{.function = "", .flops_per_element = 0};
    double operations = 0;
    for (const std::size_t member : group.members) {
      if (std::holds_alternative<View>(op(member).kind)) continue;
      const auto* elementwise = std::get_if<Elementwise>(&op(member).kind);
      const auto* norm = std::get_if<Normalize>(&op(member).kind);
      const auto* move = std::get_if<Move>(&op(member).kind);
      constexpr std::int64_t kScaleAndShift = 2;
      const double share = std::min(1.0, elements_of(op(member).outputs.front()) / group.elements);
      if (elementwise != nullptr) operations += share * static_cast<double>(elementwise->flops_per_element);
      if (norm != nullptr) operations += share * kScaleAndShift;
      const std::string name =
          elementwise != nullptr ? elementwise->function : (norm != nullptr ? "batch_norm" : move->function);
      chain.function += (chain.function.empty() ? "" : "+") + name;
    }
    if (chain.function.empty()) return op(group.members.front()).kind;
    chain.flops_per_element = std::llround(operations);
    return chain;
  }

  const Workload& workload_;
  FusionRules rules_;
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_, producer_;
  std::vector<std::vector<std::size_t>> readers_;
};

}  // namespace

Workload fuse(const Workload& workload, const FusionRules& rules) { return Fuser(workload, rules).run(); }

}  // namespace rooftile
