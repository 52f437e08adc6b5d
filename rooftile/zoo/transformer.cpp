// Transformers as PyTorch runs them: the blocks between the embedding of words or patches and the head.
#include "rooftile/zoo/transformer.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "rooftile/zoo/net.hpp"
#include "rooftile/zoo/networks.hpp"
#include "rooftile/zoo/transformer_parts.hpp"

namespace rooftile {
namespace {

class Stack {
 public:
  // All must outlive this.
  Stack(const Transformer& shape, const TransformerRun& run, Net& net)
      : shape_(shape), run_(run), net_(net), parts_(net_, shape, run.batch_size) {}

  Workload build() {
    if (shape_.patch > 0) {
      patches();
    } else if (shape_.form == TransformerForm::encoder_decoder) {
      encoder_decoder();
    } else {
      const TensorId x = blocks("", shape_.layers, words("", "input_ids", run_.seq_len), self(), std::nullopt);
      head(x);
      if (shape_.generator_hidden > 0) electra(x);
    }
    return net_.finish(parts_.cached());
  }

 private:
  Sight self() const {
    return {.q_len = run_.seq_len,
            .kv_len = run_.context + run_.seq_len,
            .causal = shape_.form != TransformerForm::encoder && (run_.context == 0 || run_.seq_len > 1),
            .cached = run_.context > 0};
  }

  // Both texts are as long; a decoding step finds what the encoder made in a cache of `context` positions.
  void encoder_decoder() {
    std::optional<TensorId> memory;
    if (run_.context == 0) {
      const Sight all = {.q_len = run_.seq_len, .kv_len = run_.seq_len};
      const TensorId x = words("encoder/", "input_ids", run_.seq_len);
      memory = blocks("encoder/", shape_.encoder_layers, x, all, std::nullopt);
      if (shape_.norm_first) memory = parts_.norm("encoder/norm", *memory);
    }
    const Sight cross = {.q_len = run_.seq_len,
                         .kv_len = run_.context > 0 ? run_.context : run_.seq_len,
                         .cached = run_.context > 0,
                         .cross = true};
    const TensorId x = words("decoder/", "decoder_input_ids", run_.seq_len);
    head(blocks("decoder/", shape_.layers, x, self(), Cross{cross, memory}));
  }

  // Clark et al., ELECTRA, arXiv:2003.10555, section 2: this encoder tells of each word whether it was replaced, by a
  // generator that shares its table of words. Which word it draws is not counted.
  void electra(TensorId x) {
    x = net_.elementwise("discriminator/gelu", "gelu", net_.fully_connected("discriminator", x, shape_.hidden));
    net_.fully_connected("discriminator/score", x, 1);

    Transformer narrow = shape_;
    narrow.heads = narrow.kv_heads = shape_.generator_hidden / shape_.head_dim;
    narrow.ffn = shape_.ffn * shape_.generator_hidden / shape_.hidden;
    narrow.hidden = shape_.generator_hidden;
    Stack generator(narrow, run_, net_);
    const TensorId ids = net_.input("masked_ids", {run_.batch_size, run_.seq_len}, DType::int64);
    TensorId y = net_.lookup("generator/wte", ids, "wte.weight", shape_.hidden);
    y = net_.add("generator/wte/add", y, net_.embedding("generator/wpe", ids, shape_.max_positions, shape_.hidden));
    y = parts_.dropout("generator/embeddings/dropout", parts_.norm("generator/embeddings/norm", y));
    y = net_.fully_connected("generator/project", y, narrow.hidden);
    y = generator.blocks("generator/", shape_.generator_layers, y, self(), std::nullopt);
    // Of 15 % of the words, as NVIDIA's script counts them.
    constexpr double kMasked = 0.155;
    const auto masked =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(kMasked * static_cast<double>(run_.seq_len)));
    y = net_.slice("generator/masked", y, {run_.batch_size, masked, narrow.hidden});
    y = net_.elementwise("generator/gelu", "gelu", net_.fully_connected("generator/transform", y, shape_.hidden));
    net_.tied("generator/lm_head", parts_.norm("generator/norm", y), "wte.weight");
  }

  TensorId words(const std::string& prefix, const std::string& input, std::int64_t length) {
    const TensorId ids = net_.input(input, {run_.batch_size, length}, DType::int64);
    const bool again = prefix == "decoder/" && run_.context == 0;  // both texts share a table
    const std::string wte = again ? prefix + "wte" : "wte";
    TensorId x = again ? net_.lookup(wte, ids, "wte.weight", shape_.hidden)
                       : net_.embedding(wte, ids, shape_.vocab, shape_.hidden);
    if (shape_.positions == TransformerPositions::learned) {
      x = net_.add(wte + "/add", x, net_.embedding(prefix + "wpe", ids, shape_.max_positions, shape_.hidden));
    } else if (shape_.positions == TransformerPositions::sinusoidal) {
      x = net_.elementwise(wte + "/add", "add", x);
    }
    if (shape_.embedding_norm) x = parts_.norm(prefix + "embeddings/norm", x);
    return parts_.dropout(prefix + "embeddings/dropout", x);
  }

  // Vision transformers (Dosovitskiy et al., arXiv:2010.11929, equations 1 to 4): patches and one position for the
  // class.
  void patches() {
    const std::int64_t size = run_.image_size, side = size / shape_.patch, count = side * side;
    const Shape tokens = {run_.batch_size, count + 1, shape_.hidden};
    const TensorId image = net_.input("pixel_values", {run_.batch_size, 3, size, size});
    // timm (vision_transformer.py) takes the bias away where a norm follows, as OpenAI's CLIP has none.
    TensorId x = net_.conv("patches", image, shape_.hidden, {shape_.patch, shape_.patch}, !shape_.embedding_norm);
    x = net_.view("patches/flatten", "flatten", x, {run_.batch_size, shape_.hidden, count});
    x = net_.transpose("patches/transpose", x, {run_.batch_size, count, shape_.hidden});
    x = net_.join("patches/class", {net_.weight("class_token", {1, 1, shape_.hidden}), x}, tokens);
    x = net_.add("patches/add", x, net_.weight("positions", {1, count + 1, shape_.hidden}));
    if (shape_.embedding_norm) x = parts_.norm("embeddings/norm", x);
    const Sight all = {.q_len = count + 1, .kv_len = count + 1};
    head(blocks("", shape_.layers, parts_.dropout("embeddings/dropout", x), all, std::nullopt));
  }

  struct Cross {
    Sight sight;
    std::optional<TensorId> memory;
  };

  TensorId blocks(const std::string& prefix, std::int64_t layers, TensorId x, Sight sight,
                  const std::optional<Cross>& cross) {
    if (shape_.positions == TransformerPositions::relative) sight.bias = parts_.relative_bias(prefix, sight);
    for (std::int64_t i = 0; i < layers; ++i) {
      const std::string name = prefix + "layer" + std::to_string(i) + "/";
      sight.window = layer_of(shape_, i).window;
      x = shape_.block == TransformerBlock::sequential ? sequential(name, i, x, sight, cross)
                                                       : parallel(name, i, x, sight);
    }
    return x;
  }

  TensorId sequential(const std::string& name, std::int64_t layer, TensorId x, const Sight& sight,
                      const std::optional<Cross>& cross) {
    x = residual(name + "attention/", x, [&](TensorId in) { return parts_.attention(name + "attention/", in, sight); });
    if (cross) {
      x = residual(name + "cross/", x,
                   [&](TensorId in) { return parts_.attention(name + "cross/", in, cross->sight, cross->memory); });
    }
    return residual(name + "mlp/", x, [&](TensorId in) { return parts_.mlp(name + "mlp/", in, layer); });
  }

  template <class Part>
  TensorId residual(const std::string& name, TensorId x, const Part& part) {
    if (!shape_.norm_first) return parts_.norm(name + "norm", net_.add(name + "add", given(name, part(x)), x));
    return net_.add(name + "add", given(name, part(parts_.norm(name + "norm", x))), x);
  }

  // What a part gives to the residual.
  TensorId given(const std::string& name, TensorId y) {
    if (shape_.output_norm) y = parts_.norm(name + "output/norm", y);
    return shape_.layer_scale ? net_.multiply(name + "scale", y, net_.weight(name + "scale.weight", {shape_.hidden}))
                              : y;
  }

  TensorId parallel(const std::string& name, std::int64_t layer, TensorId x, const Sight& sight) {
    const TensorId first = parts_.norm(name + "attention/norm", x);
    const bool own = shape_.block == TransformerBlock::parallel_own_norms;
    const TensorId second = own ? parts_.norm(name + "mlp/norm", x) : first;
    const TensorId attended = parts_.attention(name + "attention/", first, sight);
    const TensorId y = net_.add(name + "mlp/add", attended, parts_.mlp(name + "mlp/", second, layer));
    return net_.add(name + "add", y, x);
  }

  void head(TensorId x) {
    if (shape_.norm_first) x = parts_.norm("norm", x);
    switch (shape_.head) {
      case TransformerHead::language_model:
        if (shape_.tied) {
          net_.tied("lm_head", x, "wte.weight");
        } else {
          net_.fully_connected("lm_head", x, shape_.vocab, false);
        }
        break;
      case TransformerHead::pooler:
        net_.elementwise("pooler/tanh", "tanh",
                         net_.fully_connected("pooler", first("pooler/first", x), shape_.hidden));
        break;
      case TransformerHead::classes:
        net_.fully_connected("classifier", first("classifier/first", x), shape_.classes);
        break;
      case TransformerHead::projection:
        net_.fully_connected("projection", first("projection/first", x), shape_.classes, false);
        break;
      case TransformerHead::none:
        break;
    }
  }

  TensorId first(const std::string& name, TensorId x) { return net_.slice(name, x, {run_.batch_size, shape_.hidden}); }

  const Transformer& shape_;
  TransformerRun run_;
  Net& net_;
  TransformerParts parts_;
};

}  // namespace

TransformerLayer layer_of(const Transformer& shape, std::int64_t layer) {
  const bool experts = shape.experts > 0 && layer >= shape.dense_layers && (layer + 1) % shape.expert_period == 0;
  const bool sees_all = shape.window_period > 1 && (layer + 1) % shape.window_period == 0;
  return {.experts = experts, .window = sees_all ? 0 : shape.window};
}

Workload build(const Transformer& shape, const TransformerRun& run) {
  Net net(shape.name);
  if (check(shape, run)) return Stack(shape, run, net).build();
  return refused(shape.name, run.batch_size);
}

}  // namespace rooftile
