#include "rooftile/execution/llama_cpp.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rooftile/execution/launched.hpp"
#include "rooftile/ops/stream_kernel.hpp"

namespace rooftile {
namespace {

constexpr DType kActivations = DType::fp32, kMultiplied = DType::fp16;

bool reads_a_prompt(const Attention& attention) { return attention.q_len == attention.kv_len; }

class LlamaCpp {
 public:
  LlamaCpp(Workload workload, std::optional<DType> weights) : workload_(std::move(workload)), weights_(weights) {}

  Workload run() {
    std::vector<Op> ops = std::move(workload_.ops);
    workload_.ops.clear();
    const auto head =
        std::find_if(ops.rbegin(), ops.rend(), [&](const Op& op) { return multiplies_by_weights(workload_, op); });
    if (head != ops.rend()) see_last_position(*head);
    for (Op& op : ops) {
      if (const auto* attention = std::get_if<Attention>(&op.kind)) {
        attend(Attention(*attention), std::move(op));
      } else if (multiplies_by_weights(workload_, op)) {
        multiply(std::move(op));
      } else if (std::holds_alternative<Normalize>(op.kind)) {
        normalize(std::move(op));
      } else {
        workload_.ops.push_back(std::move(op));
      }
    }
    return std::move(workload_);
  }

 private:
  TensorId tensor(const std::string& name, const Shape& shape, DType type) {
    workload_.tensors.push_back({name, shape, type});
    return workload_.tensors.size() - 1;
  }

  TensorId move(TensorId from, DType type, const std::string& name, const char* function) {
    const Shape shape = workload_.tensors[from].shape;
    const TensorId to = tensor(name, shape, type);
    workload_.ops.push_back({name, Move{.function = function}, {from}, {to}});
    return to;
  }

  TensorId cast(TensorId from, DType type, const std::string& name) { return move(from, type, name, "cast"); }

  // The result in FP16, then as all else is.
  void multiplied(const std::string& name, OpKind kind, std::vector<TensorId> inputs, TensorId result) {
    const TensorId sums = tensor(name + ".sums", workload_.tensors[result].shape, kMultiplied);
    workload_.ops.push_back({name, std::move(kind), std::move(inputs), {sums}});
    workload_.ops.push_back({name + ".result", Move{.function = "cast"}, {sums}, {result}});
  }

  void multiply(Op op) {
    op.inputs[0] = cast(op.inputs[0], kMultiplied, op.name + ".operand");
    if (weights_) {
      workload_.tensors[op.inputs[1]].dtype = *weights_;
      op.inputs[1] =
          move(op.inputs[1], kMultiplied, op.name + ".unpacked", size_of(*weights_) < Bytes(1) ? kUnpack : "cast");
    } else {
      workload_.tensors[op.inputs[1]].dtype = kMultiplied;
    }
    multiplied(op.name, op.kind, op.inputs, op.outputs.front());
  }

  // ggml_rms_norm(), then ggml_mul() by the weights.
  void normalize(Op op) {
    const TensorId result = op.outputs.front();
    const std::string name = op.name + ".scale";
    const TensorId normal = op.outputs.front() =
        tensor(op.name + ".normal", workload_.tensors[result].shape, kActivations);
    workload_.ops.push_back(std::move(op));
    workload_.ops.push_back({name, Elementwise{.function = "mul"}, {normal}, {result}});
  }

  // cublasGemmBatchedEx() reads pointers, which a kernel writes before it (k_compute_batched_ptrs).
  void multiplied_by_head(const std::string& name, const Gemm& product, std::vector<TensorId> inputs, TensorId result) {
    const TensorId heads = tensor(name + ".heads", {product.batch}, DType::int32);
    const TensorId pointers = tensor(name + ".pointers", {product.batch}, DType::int64);
    workload_.ops.push_back({name + ".pointers", Elementwise{.function = "add"}, {heads}, {pointers}});
    multiplied(name, product, std::move(inputs), result);
  }

  void attend(const Attention& attention, Op op) {
    const std::int64_t all = attention.batch * attention.heads, queries = attention.q_len, keys = attention.kv_len;
    const std::int64_t dim = attention.head_dim, values = attention.head_dim_v > 0 ? attention.head_dim_v : dim;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (reads_a_prompt(attention)) op.inputs[i] = cast(op.inputs[i], kMultiplied, op.name + "/cache");
      workload_.tensors[op.inputs[i]].dtype = kMultiplied;
    }
    const TensorId q = cast(op.inputs[0], kMultiplied, op.name + "/q.operand");
    const TensorId scores = tensor(op.name + "/scores", {all, queries, keys}, kActivations);
    const TensorId chances = tensor(op.name + "/chances", {all, queries, keys}, kActivations);
    const TensorId seen = tensor(op.name + "/seen", {all, queries, values}, kActivations);
    const Gemm score{.batch = all, .m = queries, .n = keys, .k = dim, .trans_b = true};
    multiplied_by_head(op.name + "/scores", score, {q, op.inputs[1]}, scores);
    workload_.ops.push_back({op.name + "/softmax", Softmax{}, {scores}, {chances}});
    const TensorId narrow = cast(chances, kMultiplied, op.name + "/chances.operand");
    const Gemm context{.batch = all, .m = queries, .n = values, .k = keys};
    multiplied_by_head(op.name + "/context", context, {narrow, op.inputs.back()}, seen);
    workload_.ops.push_back({op.name + "/join", Move{.function = "transpose"}, {seen}, {op.outputs.front()}});
  }

  // The head's product: a row for each text.
  void see_last_position(Op& head) {
    Gemm& product = std::get<Gemm>(head.kind);
    product.m = std::min(product.m, workload_.batch_size);
    const auto last = [&](TensorId id) {
      Shape shape = workload_.tensors[id].shape;
      if (shape.size() == 3) shape[1] = 1;
      return shape;
    };
    workload_.tensors[head.outputs.front()].shape = last(head.outputs.front());
    head.inputs.front() = tensor(head.name + ".last", last(head.inputs.front()), kActivations);
  }

  Workload workload_;
  std::optional<DType> weights_;
};

// Adds small kernels to those that a step has anyway.
class LlamaCppStep {
 public:
  explicit LlamaCppStep(Workload workload) : workload_(std::move(workload)) {}

  Workload run() {
    std::vector<Op> ops = std::move(workload_.ops);
    workload_.ops.clear();
    for (Op& op : ops) {
      if (std::holds_alternative<Normalize>(op.kind)) {
        add_followed_by(std::move(op), {"scale"});
      } else if (std::holds_alternative<Attention>(op.kind)) {
        add_followed_by(std::move(op), {"softmax", "values", "join"});
      } else {
        if (multiplies_quantised(op)) op.inputs.front() = quantised(op);
        workload_.ops.push_back(std::move(op));
      }
    }
    return std::move(workload_);
  }

 private:
  bool multiplies_quantised(const Op& op) const {
    if (!multiplies_by_weights(workload_, op)) return false;
    return size_of(workload_.tensors[op.inputs[1]].dtype) < size_of(kMultiplied);
  }

  TensorId like(TensorId id, const std::string& name) {
    Tensor tensor = workload_.tensors[id];
    tensor.name = name;
    tensor.constant = false;
    workload_.tensors.push_back(std::move(tensor));
    return workload_.tensors.size() - 1;
  }

  TensorId quantised(const Op& op) {
    const std::string name = op.name + ".quantised";
    const TensorId to = like(op.inputs.front(), name);
    workload_.ops.push_back({name, Elementwise{.function = "quantise"}, {op.inputs.front()}, {to}});
    return to;
  }

  void add_followed_by(Op op, const std::vector<std::string>& functions) {
    const std::string name = op.name;
    const TensorId result = op.outputs.front();
    TensorId last = op.outputs.front() = like(result, name + ".first");
    workload_.ops.push_back(std::move(op));
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const std::string kernel = name + "." + functions[i];
      const TensorId next = i + 1 == functions.size() ? result : like(result, kernel);
      workload_.ops.push_back({kernel, Elementwise{.function = functions[i]}, {last}, {next}});
      last = next;
    }
  }

  Workload workload_;
};

}  // namespace

bool is_llama_cpp_prompt(const Workload& workload) {
  constexpr std::int64_t kVectors = 8;  // MMVQ_MAX_BATCH_SIZE
  return std::any_of(workload.ops.begin(), workload.ops.end(), [&](const Op& op) {
    return multiplies_by_weights(workload, op) && std::get<Gemm>(op.kind).m > kVectors;
  });
}

Workload as_llama_cpp_step(Workload workload) { return LlamaCppStep(std::move(workload)).run(); }

Workload as_llama_cpp(Workload workload, std::optional<DType> weights) {
  return LlamaCpp(stored_as(std::move(workload), kActivations), weights).run();
}

}  // namespace rooftile
