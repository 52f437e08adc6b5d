// Transformers of Hugging Face (BERT, GPT-2, OPT), as eager PyTorch runs them: attention as two batched products with a
// softmax between them, a copy wherever heads and positions change places.
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"

namespace rooftile {
namespace {

class Stack {
 public:
  Stack(const Transformer& shape, std::int64_t batch, std::int64_t seq_len)
      : shape_(shape), batch_(batch), seq_(seq_len), head_dim_(shape.hidden / shape.heads), net_(shape.name) {}

  Workload build() {
    const TensorId ids = net_.input("input_ids", {batch_, seq_}, DType::int64);
    TensorId x = net_.embedding("wte", ids, shape_.vocabulary, shape_.hidden);
    x = net_.add("wte/add", x, net_.embedding("wpe", ids, shape_.positions, shape_.hidden));
    if (shape_.encoder) x = net_.layer_norm("embeddings/norm", x);
    x = net_.dropout("embeddings/dropout", x);
    for (std::int64_t i = 0; i < shape_.layers; ++i) {
      x = shape_.encoder ? encoder("layer" + std::to_string(i) + "/", x)
                         : decoder("layer" + std::to_string(i) + "/", x);
    }
    if (shape_.encoder) {
      net_.elementwise("pooler/tanh", "tanh", net_.fully_connected("pooler", first_position(x), shape_.hidden));
    } else {
      net_.tied("lm_head", net_.layer_norm("norm", x), "wte.weight");
    }
    return net_.finish();
  }

 private:
  TensorId encoder(const std::string& name, TensorId x) {
    x = net_.layer_norm(name + "attention/norm", net_.add(name + "attention/add", attention(name, x), x));
    return net_.layer_norm(name + "mlp/norm", net_.add(name + "mlp/add", feed_forward(name, x), x));
  }

  TensorId decoder(const std::string& name, TensorId x) {
    x = net_.add(name + "attention/add", attention(name, net_.layer_norm(name + "attention/norm", x)), x);
    return net_.add(name + "mlp/add", feed_forward(name, net_.layer_norm(name + "mlp/norm", x)), x);
  }

  // [batch, seq, hidden] to [batch, heads, seq, head_dim], copied.
  TensorId split(const std::string& name, TensorId x) {
    return net_.transpose(name, x, {batch_, shape_.heads, seq_, head_dim_});
  }

  TensorId attention(const std::string& block, TensorId x) {
    const std::string name = block + "attention/";
    TensorId q = x, k = x, v = x;
    if (shape_.fused_qkv) {
      const TensorId qkv = net_.fully_connected(name + "qkv", x, 3 * shape_.hidden);
      q = part(name + "q", qkv);
      k = part(name + "k", qkv);
      v = part(name + "v", qkv);
    } else {
      q = split(name + "q/split", net_.fully_connected(name + "q", x, shape_.hidden));
      k = split(name + "k/split", net_.fully_connected(name + "k", x, shape_.hidden));
      v = split(name + "v/split", net_.fully_connected(name + "v", x, shape_.hidden));
    }
    TensorId scores = net_.matmul(name + "scores", q, k, true);
    scores = net_.elementwise(name + "scale", "mul", scores);
    scores = net_.elementwise(name + "mask", "add", scores);
    const TensorId context =
        net_.matmul(name + "context", net_.dropout(name + "dropout", net_.softmax(name + "softmax", scores)), v);
    const TensorId joined = net_.transpose(name + "join", context, {batch_, seq_, shape_.hidden});
    return net_.dropout(name + "out/dropout", net_.fully_connected(name + "out", joined, shape_.hidden));
  }

  // A third of the fused product, copied as split() does.
  TensorId part(const std::string& name, TensorId qkv) {
    return net_.slice(name, qkv, {batch_, shape_.heads, seq_, head_dim_});
  }

  TensorId feed_forward(const std::string& block, TensorId x) {
    const std::string name = block + "mlp/";
    TensorId y = net_.fully_connected(name + "up", x, shape_.feed_forward);
    const std::string activation = shape_.activation;
    if (activation == "gelu_new") {
      // 0.5 y (1 + tanh(sqrt(2 / pi) (y + 0.044715 y^3))), an operator at a time
      TensorId inner = net_.elementwise(name + "cubed", "pow", y);
      inner = net_.elementwise(name + "cubed/scale", "mul", inner);
      inner = net_.add(name + "inner", inner, y);
      inner = net_.elementwise(name + "inner/scale", "mul", inner);
      inner = net_.elementwise(name + "tanh", "tanh", inner);
      inner = net_.elementwise(name + "tanh/add", "add", inner);
      y = net_.multiply(name + "gelu", net_.elementwise(name + "half", "mul", y), inner);
    } else {
      y = net_.elementwise(name + activation, activation, y);
    }
    return net_.dropout(name + "down/dropout", net_.fully_connected(name + "down", y, shape_.hidden));
  }

  TensorId first_position(TensorId x) { return net_.slice("pooler/first", x, {batch_, shape_.hidden}); }

  const Transformer& shape_;
  std::int64_t batch_, seq_, head_dim_;
  Net net_;
};

}  // namespace

Workload Transformer::operator()(std::int64_t batch_size, std::int64_t seq_len) const {
  return Stack(*this, batch_size, seq_len).build();
}

}  // namespace rooftile
