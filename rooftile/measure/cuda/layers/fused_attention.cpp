// Attention as one kernel: the pattern of operations that cuDNN's fused engines know. Product with the keys, scaling,
// masks, softmax, product with the values ("Scaled dot product attention" in the documentation of NVIDIA's
// cudnn-frontend lists the operations).
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "rooftile/measure/cuda/layers/backend_graph.hpp"
#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/layer_check.hpp"

namespace rooftile::measure {
namespace {

using Kind = BackendGraph::Kind;

// Numbers that the graph reads from host memory at each run.
struct Constants {
  float scale = 1;
  float masked = std::numeric_limits<float>::lowest();
  std::int32_t queries = 0;
  std::int32_t keys = 0;
  std::int32_t window = 0;
};

class AttentionGraph {
 public:
  AttentionGraph(const Attention& attention, cudnnDataType_t type, Constants& constants)
      : attention_(attention),
        type_(type),
        constants_(constants),
        rows_{attention.batch, attention.heads, attention.q_len, 1},
        scores_{attention.batch, attention.heads, attention.q_len, attention.kv_len} {}

  void build() {
    const Attention& a = attention_;
    const Dims queries = {a.batch, a.heads, a.q_len, a.head_dim};
    const Dims values = {a.batch, a.kv_heads, a.kv_len, a.head_dim};
    // K transposed: the same memory, its last two dimensions exchanged.
    const Dims keys = {a.batch, a.kv_heads, a.head_dim, a.kv_len};
    const Dims key_strides = {a.kv_heads * a.kv_len * a.head_dim, a.kv_len * a.head_dim, 1, a.head_dim};
    const GraphTensor q = graph.tensor(Kind::data, type_, queries, packed_strides(queries));
    const GraphTensor k = graph.tensor(Kind::data, type_, keys, key_strides);
    const GraphTensor v = graph.tensor(Kind::data, type_, values, packed_strides(values));
    const GraphTensor o = graph.tensor(Kind::data, type_, queries, packed_strides(queries));
    data = {q.id, k.id, v.id, o.id};

    const GraphTensor products = inner(scores_);
    graph.matmul(q, k, products);
    const GraphTensor scaled =
        apply(CUDNN_POINTWISE_MUL, products, constant(CUDNN_DATA_FLOAT, &constants_.scale), scores_);
    graph.matmul(softmax(windowed(causal(scaled))), v, o);
  }

  BackendGraph graph;
  std::vector<std::int64_t> data;  // Q, K, V and the result
  std::vector<std::int64_t> constant_ids;
  std::vector<void*> constant_pointers;

 private:
  GraphTensor inner(const Dims& dims, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return graph.tensor(Kind::inner, type, dims, packed_strides(dims));
  }

  GraphTensor constant(cudnnDataType_t type, void* value) {
    const GraphTensor tensor = graph.tensor(Kind::by_value, type, {1, 1, 1, 1}, {1, 1, 1, 1});
    constant_ids.push_back(tensor.id);
    constant_pointers.push_back(value);
    return tensor;
  }

  GraphTensor apply(cudnnPointwiseMode_t mode, GraphTensor x, GraphTensor b, const Dims& dims,
                    cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    const GraphTensor y = inner(dims, type);
    graph.pointwise({.mode = mode, .compute = type, .x = x, .b = b, .selector = {}, .y = y});
    return y;
  }

  GraphTensor index(GraphTensor scores, std::int64_t axis) {
    const GraphTensor y = inner(scores_, CUDNN_DATA_INT32);
    graph.pointwise({.mode = CUDNN_POINTWISE_GEN_INDEX,
                     .compute = CUDNN_DATA_INT32,
                     .x = scores,
                     .b = {},
                     .selector = {},
                     .y = y,
                     .axis = axis});
    return y;
  }

  GraphTensor shift(cudnnPointwiseMode_t mode, GraphTensor x, std::int32_t& by) {
    return apply(mode, x, constant(CUDNN_DATA_INT32, &by), scores_, CUDNN_DATA_INT32);
  }

  GraphTensor select(GraphTensor scores, GraphTensor seen) {
    const GraphTensor y = inner(scores_);
    graph.pointwise({.mode = CUDNN_POINTWISE_BINARY_SELECT,
                     .x = scores,
                     .b = constant(CUDNN_DATA_FLOAT, &constants_.masked),
                     .selector = seen,
                     .y = y});
    return y;
  }

  // The last query stands at the last key. Which side is shifted does not matter to the result; the engines know these.
  GraphTensor causal(GraphTensor scores) {
    if (!attention_.causal || attention_.q_len == 1) {
      return scores;
    }
    GraphTensor row = index(scores, 2);
    const GraphTensor column = index(scores, 3);
    if (attention_.q_len != attention_.kv_len) {
      row = shift(CUDNN_POINTWISE_ADD, row, constants_.keys);
      row = shift(CUDNN_POINTWISE_SUB, row, constants_.queries);
    }
    return select(scores, apply(CUDNN_POINTWISE_CMP_GE, row, column, scores_, CUDNN_DATA_BOOLEAN));
  }

  GraphTensor windowed(GraphTensor scores) {
    if (attention_.window == 0 || attention_.window >= attention_.kv_len) {
      return scores;
    }
    const GraphTensor row = index(scores, 2);
    GraphTensor column = shift(CUDNN_POINTWISE_ADD, index(scores, 3), constants_.window);
    if (attention_.q_len != attention_.kv_len) {
      column = shift(CUDNN_POINTWISE_SUB, column, constants_.keys);
      column = shift(CUDNN_POINTWISE_ADD, column, constants_.queries);
    }
    return select(scores, apply(CUDNN_POINTWISE_CMP_GT, column, row, scores_, CUDNN_DATA_BOOLEAN));
  }

  GraphTensor softmax(GraphTensor scores) {
    const GraphTensor largest = inner(rows_);
    graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, largest);
    const GraphTensor weights =
        apply(CUDNN_POINTWISE_EXP, apply(CUDNN_POINTWISE_SUB, scores, largest, scores_), {}, scores_);
    const GraphTensor sum = inner(rows_);
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, weights, sum);
    // The logarithm of the sum, which training would keep; the pattern has it in inference too, as nothing in memory.
    apply(CUDNN_POINTWISE_ADD, largest, apply(CUDNN_POINTWISE_LOG, sum, {}, rows_), rows_);
    // Rounded to the operands' type for the second product.
    const GraphTensor shares = inner(scores_, type_);
    graph.pointwise({.mode = CUDNN_POINTWISE_DIV, .x = weights, .b = sum, .selector = {}, .y = shares});
    return shares;
  }

  Attention attention_;
  cudnnDataType_t type_;
  Constants& constants_;
  Dims rows_;
  Dims scores_;
};

class FusedAttention : public PreparedLayer {
 public:
  FusedAttention(const Attention& attention, DType precision, std::shared_ptr<CudnnHandle> cudnn,
                 std::unique_ptr<Constants> constants, AttentionGraph graph)
      : attention_(attention),
        precision_(precision),
        cudnn_(std::move(cudnn)),
        constants_(std::move(constants)),
        graph_(std::move(graph)) {
    const TensorSpec q{.type = precision,
                       .count = attention.batch * attention.heads * attention.q_len * attention.head_dim};
    const TensorSpec kv{.type = precision,
                        .count = attention.batch * attention.kv_heads * attention.kv_len * attention.head_dim};
    inputs = {q, kv, kv};
    outputs = {q};
    workspace_bytes = graph_.graph.workspace_bytes();
    algorithm = "fused";
    error_limit = measure::error_limit(precision);
  }

  Outcome<void> prepare(const OperandSet& set, cudaStream_t /*stream*/) override {
    std::vector<std::int64_t> ids = graph_.data;
    ids.insert(ids.end(), graph_.constant_ids.begin(), graph_.constant_ids.end());
    std::vector<void*> pointers = {set.inputs[0].data, set.inputs[1].data, set.inputs[2].data, set.outputs[0].data};
    pointers.insert(pointers.end(), graph_.constant_pointers.begin(), graph_.constant_pointers.end());
    return graph_.graph.bind(ids, pointers, set.workspace).map([&](Backend&& binding) {
      bindings_[set.outputs[0].data] = std::move(binding);
    });
  }

  Outcome<void> run(const OperandSet& set, cudaStream_t /*stream*/) override {
    return graph_.graph.run(cudnn_->handle, bindings_.at(set.outputs[0].data));
  }

  Outcome<double> error(const OperandSet& set, cudaStream_t stream) override {
    return attention_error(attention_, precision_, set, stream);
  }

 private:
  Attention attention_;
  DType precision_;
  std::shared_ptr<CudnnHandle> cudnn_;
  std::unique_ptr<Constants> constants_;
  AttentionGraph graph_;
  std::map<const void*, Backend> bindings_;  // by the set's result
};

Outcome<cudnnDataType_t> fused_type(DType precision) {
  if (precision != DType::fp16 && precision != DType::bf16) {
    return unsupported("fused attention runs in fp16 or bf16, not " + std::string(name_of(precision)));
  }
  return cudnn_type(precision);
}

Constants constants_of(const Attention& attention) {
  Constants constants;
  constants.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(attention.head_dim)));
  constants.queries = static_cast<std::int32_t>(attention.q_len);
  constants.keys = static_cast<std::int32_t>(attention.kv_len);
  constants.window = static_cast<std::int32_t>(attention.window);
  return constants;
}

}  // namespace

Outcome<std::size_t> fused_attention_kernels(const Attention& attention, DType precision, const std::string& device) {
  const auto type = fused_type(precision);
  if (!type) {
    return tl::unexpected(type.error());
  }
  Constants constants = constants_of(attention);
  AttentionGraph graph(attention, *type, constants);
  graph.build();
  return graph.graph.kernels_on(device);
}

Outcome<Prepared> prepare_fused_attention(const Attention& attention, const LayerCase& layer,
                                          const LayerContext& context) {
  if (!context.cudnn) {
    return tl::unexpected(context.cudnn.error());
  }
  const auto type = fused_type(layer.precision);
  if (!type) {
    return tl::unexpected(type.error());
  }
  if (auto able = check_precision(layer.precision, context); !able) {
    return tl::unexpected(able.error());
  }
  auto constants = std::make_unique<Constants>(constants_of(attention));
  AttentionGraph graph(attention, *type, *constants);
  graph.build();
  graph.graph.plan((*context.cudnn)->handle);
  if (!graph.graph.status()) {
    return tl::unexpected(graph.graph.status().error());
  }
  return std::make_unique<FusedAttention>(attention, layer.precision, *context.cudnn, std::move(constants),
                                          std::move(graph));
}

}  // namespace rooftile::measure
