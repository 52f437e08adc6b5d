// Fused operators of ONNX Runtime but for attention: a product, convolution or normalisation with what its kernel does
// besides, which costs nothing beyond the operands it reads.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_lower.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

// --- convolutions and products ---------------------------------------------------------------------------------------

// With an activation and, as fourth operand, a tensor to add.
Result<void> fused_conv(Lowering& to) {
  const bool channels_last = to.node().type.find("Nhwc") != std::string::npos;
  ValueId x = TRY(to.need(0));
  const ValueId w = TRY(to.need(1));
  const bool adds = to.in(3) != kAbsent;
  if (channels_last) x = to.add("ToChannelsFirst", {x}, to.between("channels_first"));
  const ValueId convolved = channels_last || adds ? to.between("convolved") : to.out(0);
  to.add("Conv", {x, w, to.in(2)}, convolved, to.attributes_without({"activation", "activation_params"}));
  ValueId last = convolved;
  if (channels_last) last = to.add("ToChannelsLast", {convolved}, adds ? to.between("convolved_last") : to.out(0));
  if (adds) to.add("Add", {last, to.in(3)}, to.out(0));
  return {};
}

Result<void> deformed_conv(Lowering& to) {
  const ValueId x = TRY(to.need(0)), w = TRY(to.need(1));
  to.add("Conv", {x, w, to.in(3)}, to.out(0), to.attributes_without({"offset_group"}));
  return {};
}

Result<void> max_pool_channels_last(Lowering& to) {
  const ValueId x = TRY(to.need(0));
  const ValueId first = to.add("ToChannelsFirst", {x}, to.between("channels_first"));
  const ValueId pooled = to.add("MaxPool", {first}, to.between("pooled"), to.attributes_without({}));
  to.add("ToChannelsLast", {pooled}, to.out(0));
  return {};
}

Result<void> fused_gemm(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(1));
  to.add("Gemm", {a, b, to.in(2)}, to.out(0),
         to.attributes_without({"activation", "activation_alpha", "activation_beta", "activation_gamma"}));
  return {};
}

Result<void> fused_mat_mul(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(1));
  for (const std::string_view name : {"transBatchA", "transBatchB"}) {
    if (to.node().get_int(name, 0) != 0) return fail(ErrorCode::unsupported, fmt::format("{} is set", name));
  }
  to.add("FusedMatMul", {a, b}, to.out(0),
         {{"transA", to.node().get_int("transA", 0)}, {"transB", to.node().get_int("transB", 0)}});
  return {};
}

Result<void> gemm_fast_gelu(Lowering& to) {
  const ValueId x = TRY(to.need(0)), w = TRY(to.need(1));
  const ValueId product = to.add("FusedMatMul", {x, w, to.in(2)}, to.between("product"));
  to.add("Gelu", {product}, to.out(0));
  return {};
}

// The packed weights, their scales and zero points, as they are read; K x N of them.
struct PackedWeights {
  ValueId x = kAbsent;
  std::vector<ValueId> packed;
  ValueId bias = kAbsent;
  std::int64_t inputs = 0, outputs = 0;
};

// One row is multiplied by a kernel that reads the packed weights, more by a GEMM after they are unpacked (ONNX
// Runtime, contrib_ops/cuda/quantization/matmul_nbits.cc).
Result<void> packed_product(Lowering& to, const PackedWeights& weights) {
  const Shape x = to.shape(weights.x);
  const std::int64_t most = kMaxDimension / 4;
  if (weights.inputs < 1 || weights.outputs < 1 || weights.inputs > most || weights.outputs > most) {
    return bad_input(fmt::format("K is {} and N is {}", weights.inputs, weights.outputs));
  }
  if (x.empty() || x.back() != weights.inputs) {
    return bad_input(fmt::format("weights of {} inputs do not fit {}", weights.inputs, print(x)));
  }
  Shape result = x;
  result.back() = weights.outputs;
  if (elements(x) == static_cast<double>(weights.inputs)) {
    std::vector<ValueId> operands = {weights.x};
    operands.insert(operands.end(), weights.packed.begin(), weights.packed.end());
    auto attributes = of_shape(result);
    attributes["K"] = weights.inputs;
    to.add("PackedMatrixVector", std::move(operands), to.out(0), std::move(attributes));
    return {};
  }
  auto unpacked = of({weights.outputs, weights.inputs}, to.type(weights.x));
  unpacked[std::string(kEachRunAttribute)] = std::int64_t{1};
  const ValueId dense = to.add("DequantizeLinear", weights.packed, to.between("weights"), std::move(unpacked));
  to.add("FusedMatMul", {weights.x, dense, weights.bias}, to.out(0), {{"transB", std::int64_t{1}}});
  return {};
}

Result<void> mat_mul_bits(Lowering& to) {
  PackedWeights weights;
  weights.x = TRY(to.need(0));
  weights.packed.push_back(TRY(to.need(1)));
  weights.packed.push_back(TRY(to.need(2)));
  if (to.in(3) != kAbsent && to.node().type != "com.microsoft.MatMulBnb4") weights.packed.push_back(to.in(3));
  weights.bias = to.in(5);
  weights.inputs = to.node().get_int("K", 0);
  weights.outputs = to.node().get_int("N", 0);
  return packed_product(to, weights);
}

Result<void> gather_packed(Lowering& to) {
  const ValueId data = TRY(to.need(0)), indices = TRY(to.need(1)), scales = TRY(to.need(2));
  const Shape table = to.shape(data), blocks = to.shape(scales);
  if (to.node().get_int("gather_axis", 0) != 0 || table.size() != 2 || blocks.size() != 2) {
    return fail(ErrorCode::unsupported, "gathers from other than the rows of a matrix");
  }
  Shape result = to.shape(indices);
  const std::int64_t packed =
      to.type(data) == DType::int8 ? 8 / std::clamp<std::int64_t>(to.node().get_int("bits", 4), 1, 8) : 1;
  result.push_back(table[1] * packed);
  to.add("Gather", {data, indices}, to.out(0), of(result, to.type(scales)));
  return {};
}

// --- activations -----------------------------------------------------------------------------------------------------

// Of the first operand, with a bias added to it before.
Result<void> activation(Lowering& to, std::string_view type) {
  const ValueId x = TRY(to.need(0));
  to.add(type, {x, to.in(1)}, to.out(0), of_shape(to.shape(x)));
  return {};
}
Result<void> gelu(Lowering& to) { return activation(to, "Gelu"); }
Result<void> quick_gelu(Lowering& to) { return activation(to, "Swish"); }

Result<void> bias_add(Lowering& to) {
  const ValueId x = TRY(to.need(0)), bias = TRY(to.need(1)), skip = TRY(to.need(2));
  to.add("Sum", {x, bias, skip}, to.out(0), of_shape(to.shape(x)));
  return {};
}

Result<void> bias_softmax(Lowering& to) {
  const ValueId x = TRY(to.need(0));
  to.add("Softmax", {x}, to.out(0), of_shape(to.shape(x)));
  return {};
}

Result<void> bias_split_gelu(Lowering& to) {
  const ValueId x = TRY(to.need(0)), bias = TRY(to.need(1));
  Shape half = to.shape(x);
  if (half.empty() || half.back() % 2 != 0) return bad_input(fmt::format("{} has no halves", print(half)));
  half.back() /= 2;
  to.add("Gelu", {x, bias}, to.out(0), of_shape(half));
  return {};
}

Result<void> rotary(Lowering& to) {
  const ValueId x = TRY(to.need(0));
  to.add("RotaryEmbedding", {x}, to.out(0), of_shape(to.shape(x)));
  return {};
}

// --- normalisations --------------------------------------------------------------------------------------------------

// Results 1 and 2, mean and reciprocal of the deviation, are for training alone.
void drop_statistics(Lowering& to) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) to.make_constant(i, DType::fp32, {1});
}

// Of the sum of the first operand, the second and a bias; the sum is result 3.
Result<void> skip_normalisation(Lowering& to, std::string_view type) {
  const ValueId x = TRY(to.need(0)), skip = TRY(to.need(1)), scale = TRY(to.need(2));
  std::vector<ValueId> operands = {x, skip, scale};
  for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
    if (to.in(i) != kAbsent) operands.push_back(to.in(i));
  }
  std::vector<ValueId> results = {to.out(0)};
  if (to.wants(3)) results.push_back(to.out(3));
  to.add_node(type, std::move(operands), std::move(results), of_shape(to.shape(x)));
  drop_statistics(to);
  return {};
}
Result<void> skip_layer_norm(Lowering& to) { return skip_normalisation(to, "LayerNormalization"); }
Result<void> skip_rms_norm(Lowering& to) { return skip_normalisation(to, "RMSNormalization"); }

Result<void> rms_norm(Lowering& to) {
  const ValueId x = TRY(to.need(0));
  to.add("RMSNormalization", {x, to.in(1)}, to.out(0), of_shape(to.shape(x)));
  to.make_constant(1, DType::fp32, {1});
  return {};
}

Result<void> group_norm(Lowering& to) {
  const ValueId x = TRY(to.need(0)), scale = TRY(to.need(1)), shift = TRY(to.need(2));
  std::vector<ValueId> operands = {x, scale, shift};
  for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
    if (to.in(i) != kAbsent) operands.push_back(to.in(i));
  }
  std::vector<ValueId> results = {to.out(0)};
  if (to.wants(1)) results.push_back(to.out(1));  // the sum, of SkipGroupNorm
  to.add_node("GroupNormalization", std::move(operands), std::move(results), of_shape(to.shape(x)));
  return {};
}

// Rows of up to three tables, their sum, its normalisation.
Result<void> embed_layer_norm(Lowering& to) {
  const ValueId words = TRY(to.need(0)), table = TRY(to.need(2)), positions = TRY(to.need(3));
  const ValueId scale = TRY(to.need(5)), shift = TRY(to.need(6));
  if (to.shape(table).size() != 2) return bad_input(fmt::format("{} is no table of words", print(to.shape(table))));
  Shape shape = to.shape(words);
  shape.push_back(to.shape(table)[1]);
  const auto look_up = [&](ValueId rows, ValueId indices, std::string_view suffix) {
    return to.add("Gather", {rows, indices}, to.between(suffix), of(shape, to.type(rows)));
  };
  std::vector<ValueId> operands = {look_up(table, words, "words")};
  operands.push_back(look_up(positions, words, "positions"));
  if (to.in(4) != kAbsent) operands.push_back(look_up(to.in(4), words, "segments"));
  operands.push_back(scale);
  operands.push_back(shift);
  std::vector<ValueId> results = {to.out(0)};
  if (to.wants(2)) results.push_back(to.out(2));
  to.add_node("LayerNormalization", std::move(operands), std::move(results), of_shape(shape));
  to.make_constant(1, DType::int32, {shape.front()});
  return {};
}

// --- the same as an operator of ONNX ---------------------------------------------------------------------------------

Result<void> as_in_onnx(Lowering& to) {
  const std::string type = to.node().type.substr(to.node().type.rfind('.') + 1);
  to.add_node(type, to.node().inputs, to.node().outputs, to.attributes_without({}));
  return {};
}

}  // namespace

const std::vector<LoweringRow>& fused_operators() {
  static const std::vector<LoweringRow> rows = {
      {"DeformConv", deformed_conv},
      {"SimplifiedLayerNormalization", rms_norm},
      {"com.microsoft.BiasAdd", bias_add},
      {"com.microsoft.BiasGelu", gelu},
      {"com.microsoft.BiasSoftmax", bias_softmax},
      {"com.microsoft.BiasSplitGelu", bias_split_gelu},
      {"com.microsoft.EmbedLayerNormalization", embed_layer_norm},
      {"com.microsoft.FastGelu", gelu},
      {"com.microsoft.FusedConv", fused_conv},
      {"com.microsoft.FusedGemm", fused_gemm},
      {"com.microsoft.FusedMatMul", fused_mat_mul},
      {"com.microsoft.FusedMatMulActivation", fused_mat_mul},
      {"com.microsoft.GatherBlockQuantized", gather_packed},
      {"com.microsoft.GatherND", as_in_onnx},
      {"com.microsoft.Gelu", gelu},
      {"com.microsoft.GemmFastGelu", gemm_fast_gelu},
      {"com.microsoft.GridSample", as_in_onnx},
      {"com.microsoft.GroupNorm", group_norm},
      {"com.microsoft.LayerNormalization", as_in_onnx},
      {"com.microsoft.MatMulBnb4", mat_mul_bits},
      {"com.microsoft.MatMulNBits", mat_mul_bits},
      {"com.microsoft.NhwcConv", fused_conv},
      {"com.microsoft.NhwcFusedConv", fused_conv},
      {"com.microsoft.NhwcMaxPool", max_pool_channels_last},
      {"com.microsoft.Pad", as_in_onnx},
      {"com.microsoft.QuickGelu", quick_gelu},
      {"com.microsoft.RMSNormalization", rms_norm},
      {"com.microsoft.RotaryEmbedding", rotary},
      {"com.microsoft.SimplifiedLayerNormalization", rms_norm},
      {"com.microsoft.SkipGroupNorm", group_norm},
      {"com.microsoft.SkipLayerNormalization", skip_layer_norm},
      {"com.microsoft.SkipSimplifiedLayerNormalization", skip_rms_norm},
      {"com.microsoft.TransposeMatMul", fused_mat_mul},
      {"com.microsoft.Trilu", as_in_onnx},
  };
  return rows;
}

}  // namespace rooftile
