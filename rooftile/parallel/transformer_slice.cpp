#include "rooftile/parallel/transformer_slice.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace rooftile {
namespace {

tl::unexpected<Error> no_part(const Transformer& shape, const char* degree, int parts, const char* what,
                              std::int64_t count) {
  return fail(ErrorCode::usage, fmt::format("{} {} does not divide {} {}", degree, parts, count, what), shape.name);
}

std::int64_t rounded_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Result<Transformer> slice(const Transformer& shape, const Parallelism& way) {
  Transformer part = shape;
  if (shape.form == TransformerForm::encoder_decoder && (way.tp > 1 || way.pp > 1 || way.cp > 1)) {
    return fail(ErrorCode::unsupported, "an encoder and a decoder are only spread over data parallel GPUs", shape.name);
  }
  if (shape.generator_hidden > 0 && (way.tp > 1 || way.cp > 1)) {
    return fail(ErrorCode::unsupported, "tp and cp do not divide its generator", shape.name);
  }
  if (shape.heads % way.tp != 0) return no_part(shape, "tp", way.tp, "heads", shape.heads);
  for (const auto& [what, width] :
       {std::pair{"features of the MLP", shape.ffn}, std::pair{"features of the shared MLP", shape.shared_ffn}}) {
    if (width % way.tp != 0) return no_part(shape, "tp", way.tp, what, width);
  }
  if (shape.experts > 0 && shape.expert_ffn % way.expert_tp() != 0) {
    return no_part(shape, way.etp > 0 ? "etp" : "tp", way.expert_tp(), "features of an expert", shape.expert_ffn);
  }
  const std::int64_t stages = std::int64_t{way.pp} * way.vp;
  const bool ends_count = (shape.layers + 2) % stages == 0;  // the embedding and the head, as layers
  if (stages > shape.layers && !ends_count) {
    return fail(ErrorCode::usage, fmt::format("{} pipeline stages for {} layers", stages, shape.layers), shape.name);
  }
  if (way.ep > 1 && shape.experts == 0) return fail(ErrorCode::usage, "has no experts for ep", shape.name);
  if (shape.experts > 0 && shape.experts % way.ep != 0) return no_part(shape, "ep", way.ep, "experts", shape.experts);
  part.heads /= way.tp;
  part.kv_heads = std::max<std::int64_t>(1, shape.kv_heads / way.tp);  // fewer than GPUs: each has a copy
  part.ffn /= way.tp;
  part.expert_ffn = std::max<std::int64_t>(1, part.expert_ffn / way.expert_tp());
  part.routed_apart = way.tp / way.expert_tp();
  part.shared_ffn /= way.tp;
  // Of padded vocabularies (Megatron's make-vocab-size-divisible-by).
  constexpr std::int64_t kMultiple = 128;
  if (way.tp > 1 && part.vocab > 0) part.vocab = rounded_up(part.vocab, kMultiple * way.tp) / way.tp;
  // Each GPU computes as many picks as its own positions make: those of all GPUs for its share of the experts.
  if (shape.experts > 0) part.experts /= way.ep;
  return part;
}

}  // namespace rooftile
