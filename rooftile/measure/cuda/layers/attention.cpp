// Attention: fused where cuDNN has a kernel for it, else by two products and a softmax.
#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/layers/reference.hpp"

namespace rooftile::measure {
namespace {

Outcome<void> check_attention(const Attention& attention, const LayerCase& layer) {
  if (layer.pass != Pass::fwd) {
    return unsupported("attention is measured forward only");
  }
  if (attention.kv_precision && *attention.kv_precision != layer.precision) {
    return unsupported("keys and values in another precision than the queries are not measured");
  }
  if (auto able = check_all({check_tensor({attention.batch, attention.heads, attention.q_len, attention.head_dim}),
                             check_tensor({attention.batch, attention.kv_heads, attention.kv_len, attention.head_dim}),
                             check_tensor({attention.batch, attention.heads, attention.q_len, attention.kv_len})});
      !able) {
    return able;
  }
  if (attention.heads % attention.kv_heads != 0) {
    return unsupported("heads are not a multiple of the heads of keys and values");
  }
  if (attention.q_len > attention.kv_len) {
    return unsupported("more queries than keys");
  }
  if (!layer.algorithm.empty() && layer.algorithm != "fused" && layer.algorithm != "unfused") {
    return unsupported("attention is 'fused' or 'unfused', not '" + layer.algorithm + "'");
  }
  return {};
}

}  // namespace

Outcome<Prepared> prepare_attention(const Attention& attention, const LayerCase& layer, const LayerContext& context) {
  if (auto able = check_attention(attention, layer); !able) {
    return tl::unexpected(able.error());
  }
  if (layer.algorithm == "unfused") {
    return prepare_unfused_attention(attention, layer, context);
  }
  auto fused = prepare_fused_attention(attention, layer, context);
  if (fused || layer.algorithm == "fused" || fused.error().why != Refusal::unsupported) {
    return fused;
  }
  return prepare_unfused_attention(attention, layer, context);
}

Outcome<double> attention_error(const Attention& attention, DType precision, const OperandSet& set,
                                cudaStream_t stream) {
  return sampled_error(set.outputs[0], stream, [&](const std::int64_t* positions, std::int64_t count, double* out) {
    reference_attention(attention, {set.inputs[0].data, precision}, {set.inputs[1].data, precision},
                        {set.inputs[2].data, precision}, {positions, count, out}, stream);
  });
}

}  // namespace rooftile::measure
