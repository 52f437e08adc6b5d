// Defaults of a transformer's geometry, and what can be wrong with it.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/workload/bad_input.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {
namespace {

struct Bounds {
  const char* key;
  std::int64_t value, least, most;
};

Result<void> check_bounds(const Transformer& shape) {
  const LatentAttention& latent = shape.latent;
  const bool images = shape.patch > 0;
  const std::array bounds = {
      Bounds{"layers", shape.layers, 1, kMostLayers},
      Bounds{"hidden", shape.hidden, 1, kMostFeatures},
      Bounds{"heads", shape.heads, 1, kMostHeads},
      Bounds{"kv_heads", shape.kv_heads, 1, shape.heads},
      Bounds{"head_dim", shape.head_dim, 1, kMostFeatures},
      Bounds{"ffn", shape.ffn, 1, kMostFeatures},
      Bounds{"vocab", shape.vocab, images ? 0 : 1, kMostFeatures},
      Bounds{"seq_len", shape.seq_len, images ? 0 : 1, kMaxDimension},
      Bounds{"max_positions", shape.max_positions, images ? 0 : 1, kMaxDimension},
      Bounds{"encoder_layers", shape.encoder_layers, 0, kMostLayers},
      Bounds{"window", shape.window, 0, kMaxDimension},
      Bounds{"window_period", shape.window_period, 1, kMostLayers},
      Bounds{"experts", shape.experts, 0, kMostHeads},
      Bounds{"experts_per_token", shape.experts_per_token, 1, shape.experts > 0 ? shape.experts : kMostHeads},
      Bounds{"expert_ffn", shape.expert_ffn, 1, kMostFeatures},
      Bounds{"shared_ffn", shape.shared_ffn, 0, kMostFeatures},
      Bounds{"dense_layers", shape.dense_layers, 0, shape.layers},
      Bounds{"expert_period", shape.expert_period, 1, kMostLayers},
      Bounds{"generator_hidden", shape.generator_hidden, 0, shape.hidden},
      Bounds{"generator_layers", shape.generator_layers, 0, kMostLayers},
      Bounds{"latent.q_rank", latent.q_rank, 0, kMostFeatures},
      Bounds{"latent.kv_rank", latent.kv_rank, 0, kMostFeatures},
      Bounds{"patch", shape.patch, 0, kMostHeads},
      Bounds{"image_size", shape.image_size, images ? shape.patch : 0, kMaxDimension},
      Bounds{"classes", shape.classes, images || shape.head == TransformerHead::projection ? 1 : 0, kMostFeatures},
  };
  for (const Bounds& each : bounds) {
    if (each.value < each.least || each.value > each.most) {
      return bad_input(fmt::format("{} {} is not between {} and {}", each.key, each.value, each.least, each.most));
    }
  }
  return {};
}

Result<void> check_latent(const Transformer& shape) {
  const LatentAttention& latent = shape.latent;
  for (const Bounds& each : {Bounds{"latent.nope_dim", latent.nope_dim, 1, kMostFeatures},
                             Bounds{"latent.rope_dim", latent.rope_dim, 1, kMostFeatures},
                             Bounds{"latent.v_dim", latent.v_dim, 1, kMostFeatures}}) {
    if (each.value < each.least || each.value > each.most) {
      return bad_input(fmt::format("{} {} is not between {} and {}", each.key, each.value, each.least, each.most));
    }
  }
  if (!shape.fused_attention) return bad_input("latent attention is one kernel: attention cannot be separate");
  if (shape.qk_norm || shape.window > 0) return bad_input("latent attention has no qk_norm and no window");
  if (shape.kv_heads != shape.heads) return bad_input("latent attention has as many kv_heads as heads");
  return {};
}

}  // namespace

Transformer completed(Transformer shape) {
  const auto otherwise = [](std::int64_t& value, std::int64_t fallback) {
    if (value == 0) value = fallback;
  };
  otherwise(shape.kv_heads, shape.heads);
  if (shape.heads > 0) otherwise(shape.head_dim, shape.hidden / shape.heads);
  constexpr std::int64_t kWider = 4;
  otherwise(shape.ffn, std::min(shape.hidden, kMostFeatures) * kWider);
  otherwise(shape.expert_ffn, shape.ffn);
  otherwise(shape.max_positions, shape.seq_len);
  if (shape.form == TransformerForm::encoder_decoder) otherwise(shape.encoder_layers, shape.layers);
  if (shape.generator_hidden > 0) otherwise(shape.generator_layers, shape.layers);
  if (shape.head == TransformerHead::projection) otherwise(shape.classes, shape.hidden);
  if (shape.patch > 0) {
    constexpr std::int64_t kImage = 224, kClasses = 1000;
    otherwise(shape.image_size, kImage);
    otherwise(shape.classes, kClasses);
  }
  return shape;
}

Result<void> check(const Transformer& shape) {
  TRY(check_bounds(shape));
  if (shape.hidden % shape.heads != 0 && shape.head_dim == shape.hidden / shape.heads) {
    return bad_input(fmt::format("hidden {} cannot be shared by {} heads: say head_dim", shape.hidden, shape.heads));
  }
  if (shape.heads * shape.head_dim > kMostFeatures) {
    return bad_input(fmt::format("{} heads of {} are wider than {}", shape.heads, shape.head_dim, kMostFeatures));
  }
  if (shape.heads % shape.kv_heads != 0) {
    return bad_input(fmt::format("{} heads cannot share {} kv_heads alike", shape.heads, shape.kv_heads));
  }
  if (shape.latent.kv_rank > 0) TRY(check_latent(shape));
  if (shape.window == 0 && shape.window_period > 1) return bad_input("window_period needs a window");
  if (shape.output_norm && shape.block != TransformerBlock::sequential) {
    return bad_input("output_norm is of sequential blocks");
  }
  if (shape.positions == TransformerPositions::relative && shape.fused_attention) {
    return bad_input("positions 'relative' add to the scores: attention must be 'separate'");
  }
  if (shape.block != TransformerBlock::sequential && shape.form == TransformerForm::encoder_decoder) {
    return bad_input("an encoder_decoder has sequential blocks");
  }
  if (shape.head == TransformerHead::projection && shape.form == TransformerForm::encoder_decoder) {
    return bad_input("head 'projection' is not of an encoder_decoder");
  }
  if (shape.generator_hidden % shape.head_dim != 0) {
    return bad_input(
        fmt::format("generator_hidden {} is no multiple of head_dim {}", shape.generator_hidden, shape.head_dim));
  }
  if (shape.generator_hidden > 0 && (shape.form != TransformerForm::encoder || shape.head != TransformerHead::none)) {
    return bad_input("a generator stands beside an encoder with head 'none'");
  }
  if (shape.patch > 0 && shape.form != TransformerForm::encoder) return bad_input("images have form 'encoder'");
  if (shape.patch == 0 && shape.head == TransformerHead::classes) return bad_input("head 'classes' is for images");
  if (shape.patch > 0 && shape.head != TransformerHead::classes && shape.head != TransformerHead::projection &&
      shape.head != TransformerHead::none) {
    return bad_input("images have head 'classes', 'projection' or 'none'");
  }
  if (shape.layer_scale && shape.block != TransformerBlock::sequential) {
    return bad_input("layer_scale is of sequential blocks");
  }
  return {};
}

tl::unexpected<Error> beyond_table(const std::string& network, std::int64_t positions, std::int64_t most) {
  return fail(ErrorCode::usage, fmt::format("{} positions are more than the {} of its table", positions, most),
              network);
}

Result<std::string> check_positions(const Transformer& shape, std::int64_t positions) {
  if (shape.patch > 0) return "";
  if (shape.positions == TransformerPositions::learned && positions > shape.max_positions) {
    return beyond_table(shape.name, positions, shape.max_positions);
  }
  const std::int64_t made_for = std::max(shape.seq_len, shape.max_positions);
  if (positions <= made_for) return "";
  return fmt::format("{} positions are more than the {} that {} was made for", positions, made_for, shape.name);
}

Result<void> check(const Transformer& shape, const TransformerRun& run) {
  const bool images = shape.patch > 0;
  if (images && (run.image_size < shape.patch || run.image_size % shape.patch != 0)) {
    return bad_input(
        fmt::format("images of {0}x{0} are no whole number of {1}x{1} patches", run.image_size, shape.patch));
  }
  if (run.context > 0 && shape.form == TransformerForm::encoder) {
    return bad_input("has no decoder: context is for networks that write a text");
  }
  const double side = images ? static_cast<double>(run.image_size) / static_cast<double>(shape.patch) : 0;
  const double queries = images ? side * side + 1 : static_cast<double>(run.seq_len);
  const double keys = queries + static_cast<double>(run.context);
  const double features = static_cast<double>(std::max(
      {shape.hidden, shape.ffn, shape.vocab, shape.expert_ffn * shape.experts_per_token, shape.experts,
       3 * shape.heads * std::max(shape.head_dim, shape.latent.nope_dim + shape.latent.v_dim + shape.latent.kv_rank)}));
  const double scores = static_cast<double>(shape.heads) * queries;
  const double most = static_cast<double>(run.batch_size) * keys * std::max(features, scores);
  if (most > kMaxElements) {
    return bad_input(fmt::format("a batch of {} with {:.0f} positions is too large: more than {:.3g} elements",
                                 run.batch_size, keys, kMaxElements));
  }
  return {};
}

}  // namespace rooftile
