// Operators on quantised integers: products and convolutions compute in them, the rest stores them.
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_lower.hpp"
#include "rooftile/ingest/onnx_types.hpp"
#include "rooftile/workload/bad_input.hpp"

namespace rooftile {
namespace {

// The type that attribute output_dtype names (operator sets 21 and later), else the one given.
Result<DType> output_type(const Lowering& to, DType otherwise) {
  const std::int64_t number = to.node().get_int("output_dtype", 0);
  if (number == 0) return otherwise;
  const auto type = dtype_of_onnx(static_cast<int>(number));
  if (!type) return fail(ErrorCode::unsupported, fmt::format("its element type {} is not supported", number));
  return *type;
}

// Integers of 8 bits where there is no zero point to say.
DType type_or_int8(const Lowering& to, std::size_t zero_point) {
  return to.in(zero_point) == kAbsent ? DType::int8 : to.type(to.in(zero_point));
}

Result<void> quantize(Lowering& to) {
  const ValueId x = TRY(to.need(0)), scale = TRY(to.need(1));
  const DType type = TRY(output_type(to, type_or_int8(to, 2)));
  to.add("QuantizeLinear", {x, scale, to.in(2)}, to.out(0), of(to.shape(x), type));
  return {};
}

Result<void> dequantize(Lowering& to) {
  const ValueId x = TRY(to.need(0)), scale = TRY(to.need(1));
  const DType type = TRY(output_type(to, to.type(scale)));
  to.add("DequantizeLinear", {x, scale, to.in(2)}, to.out(0), of(to.shape(x), type));
  return {};
}

// The scale is that of the smallest and largest element: a reduction, then the quantisation.
ValueId add_dynamic_quantisation(Lowering& to, ValueId x, ValueId quantised, ValueId scale) {
  to.add("ReduceMax", {x}, scale, of({}, DType::fp32));
  return to.add("QuantizeLinear", {x, scale}, quantised, of(to.shape(x), DType::int8));
}

Result<void> dynamic_quantize(Lowering& to) {
  const ValueId x = TRY(to.need(0));
  add_dynamic_quantisation(to, x, to.out(0), to.out(1, "scale"));
  to.make_constant(2, DType::int8, {});
  return {};
}

Lowering::Attributes with_type(Lowering::Attributes attributes, DType type) {
  attributes.merge(of_type(type));
  return attributes;
}

// In channels last, the geometry is that of channels first, and nothing moves.
void add_conv(Lowering& to, std::vector<ValueId> operands, bool channels_last, DType type) {
  const auto attributes = with_type(to.attributes_without({"channels_last"}), type);
  if (!channels_last) {
    to.add("Conv", std::move(operands), to.out(0), attributes);
    return;
  }
  operands[0] = to.add("ToChannelsFirst", {operands[0]}, to.between("channels_first"));
  const ValueId result = to.add("Conv", std::move(operands), to.between("convolved"), attributes);
  to.add("ToChannelsLast", {result}, to.out(0));
}

Result<void> linear_conv(Lowering& to) {
  const ValueId x = TRY(to.need(0)), w = TRY(to.need(3));
  add_conv(to, {x, w, to.in(8)}, to.node().get_int("channels_last", 0) != 0, type_or_int8(to, 7));
  return {};
}

Result<void> conv_integer(Lowering& to) {
  const ValueId x = TRY(to.need(0)), w = TRY(to.need(1));
  add_conv(to, {x, w}, false, DType::int32);
  return {};
}

Result<void> linear_mat_mul(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(3));
  to.add("FusedMatMul", {a, b}, to.out(0), of_type(type_or_int8(to, 7)));
  return {};
}

Result<void> mat_mul_integer(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(1));
  to.add("FusedMatMul", {a, b}, to.out(0), of_type(DType::int32));
  return {};
}

Result<void> mat_mul_integer_to_float(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(1)), scale = TRY(to.need(2));
  to.add("FusedMatMul", {a, b, to.in(6)}, to.out(0), of_type(to.type(scale)));
  return {};
}

Result<void> dynamic_mat_mul(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(1));
  const ValueId quantised = add_dynamic_quantisation(to, a, to.between("quantised"), to.between("scale"));
  to.add("FusedMatMul", {quantised, b, to.in(4)}, to.out(0), of_type(to.type(a)));
  return {};
}

Result<void> linear_gemm(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(3));
  const DType type = to.in(7) == kAbsent ? DType::fp32 : type_or_int8(to, 8);
  to.add("Gemm", {a, b, to.in(6)}, to.out(0), with_type(to.attributes_without({}), type));
  return {};
}

// The operators whose result is one of another operator, on operands of which every third is read.
Result<void> rename(Lowering& to, std::string_view type, std::initializer_list<std::size_t> operands,
                    Lowering::Attributes attributes) {
  std::vector<ValueId> inputs;
  for (const std::size_t i : operands) inputs.push_back(TRY(to.need(i)));
  const DType result = to.type(inputs.back());
  to.add(type, std::move(inputs), to.out(0), with_type(std::move(attributes), result));
  return {};
}

Result<void> linear_concat(Lowering& to) {
  std::vector<ValueId> parts;
  for (std::size_t i = 2; i < to.node().inputs.size(); i += 3) parts.push_back(TRY(to.need(i)));
  if (parts.empty()) return bad_input("has nothing to join");
  to.add("Concat", std::move(parts), to.out(0), to.attributes_without({}));
  return {};
}

Result<void> linear_global_pool(Lowering& to) {
  const ValueId x = TRY(to.need(0));
  if (to.node().get_int("channels_last", 0) == 0) {
    to.add("GlobalAveragePool", {x}, to.out(0));
    return {};
  }
  Ints axes;
  for (std::size_t axis = 1; axis + 1 < to.shape(x).size(); ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  to.add("ReduceMean", {x}, to.out(0), {{"axes", axes}, {"keepdims", std::int64_t{1}}});
  return {};
}

Result<void> linear_pool(Lowering& to) {
  if (to.node().get_int("channels_last", 0) != 0) return fail(ErrorCode::unsupported, "channels_last is set");
  return rename(to, "AveragePool", {0}, to.attributes_without({"channels_last"}));
}

Result<void> linear_softmax(Lowering& to) { return rename(to, "Softmax", {0}, to.attributes_without({"opset"})); }
Result<void> linear_reduce_mean(Lowering& to) { return rename(to, "ReduceMean", {0}, to.attributes_without({})); }
Result<void> linear_sigmoid(Lowering& to) { return rename(to, "Sigmoid", {0}, {}); }
Result<void> linear_leaky_relu(Lowering& to) { return rename(to, "LeakyRelu", {0}, {}); }
Result<void> linear_add(Lowering& to) { return rename(to, "Add", {0, 3}, {}); }
Result<void> linear_mul(Lowering& to) { return rename(to, "Mul", {0, 3}, {}); }
Result<void> linear_where(Lowering& to) { return rename(to, "Where", {0, 1, 4}, {}); }
Result<void> mul_integer(Lowering& to) {
  const ValueId a = TRY(to.need(0)), b = TRY(to.need(2));
  to.add("Mul", {a, b}, to.out(0), of_type(DType::int32));
  return {};
}

}  // namespace

const std::vector<LoweringRow>& quantised_operators() {
  static const std::vector<LoweringRow> rows = {
      {"ConvInteger", conv_integer},
      {"DequantizeLinear", dequantize},
      {"DynamicQuantizeLinear", dynamic_quantize},
      {"MatMulInteger", mat_mul_integer},
      {"QLinearConv", linear_conv},
      {"QLinearMatMul", linear_mat_mul},
      {"QuantizeLinear", quantize},
      {"com.microsoft.DequantizeLinear", dequantize},
      {"com.microsoft.DynamicQuantizeMatMul", dynamic_mat_mul},
      {"com.microsoft.MatMulInteger16", mat_mul_integer},
      {"com.microsoft.MatMulIntegerToFloat", mat_mul_integer_to_float},
      {"com.microsoft.MulInteger", mul_integer},
      {"com.microsoft.QGemm", linear_gemm},
      {"com.microsoft.QLinearAdd", linear_add},
      {"com.microsoft.QLinearAveragePool", linear_pool},
      {"com.microsoft.QLinearConcat", linear_concat},
      {"com.microsoft.QLinearConv", linear_conv},
      {"com.microsoft.QLinearGlobalAveragePool", linear_global_pool},
      {"com.microsoft.QLinearLeakyRelu", linear_leaky_relu},
      {"com.microsoft.QLinearMul", linear_mul},
      {"com.microsoft.QLinearReduceMean", linear_reduce_mean},
      {"com.microsoft.QLinearSigmoid", linear_sigmoid},
      {"com.microsoft.QLinearSoftmax", linear_softmax},
      {"com.microsoft.QLinearWhere", linear_where},
      {"com.microsoft.QuantizeLinear", quantize},
  };
  return rows;
}

}  // namespace rooftile
