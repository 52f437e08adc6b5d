#include "rooftile/ingest/onnx_ops.hpp"

#include <algorithm>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/ingest/onnx_attention.hpp"
#include "rooftile/ingest/onnx_einsum.hpp"
#include "rooftile/ingest/onnx_fold.hpp"
#include "rooftile/ingest/onnx_lower.hpp"
#include "rooftile/ingest/onnx_makers.hpp"
#include "rooftile/ingest/onnx_resolver.hpp"

namespace rooftile {
namespace {

// Which operands are read at run time: the data alone, where the rest are shapes, bounds and the like, or all.
enum class Reads { data, all };

using Maker = Result<OpKind> (*)(const OnnxGraph&, const OnnxNode&);
struct OperatorRow {
  std::string_view type;
  std::variant<OpKind, Maker> kind;
  Reads reads = Reads::data;
};

// Operations per element: one for each addition, multiplication, division, comparison or special function (exp, erf,
// tanh, …) in the formula that defines the operator, parameters' own arithmetic left out.
OperatorRow map(std::string_view type, std::string function, std::int64_t flops) {
  return {type, Elementwise{std::move(function), flops}, Reads::all};
}
OperatorRow reduce(std::string_view type, std::string function) { return {type, Reduce{std::move(function)}}; }
OperatorRow view(std::string_view type, std::string function) { return {type, View{std::move(function)}}; }

const std::vector<OperatorRow>& table() {
  static const std::vector<OperatorRow> rows = {
      // Convolution and matrix products
      {"Conv", make_conv, Reads::all},
      {"ConvTranspose", make_conv, Reads::all},
      {"Einsum", make_einsum, Reads::all},
      {"Gemm", make_gemm, Reads::all},
      {"FusedAttention", make_fused_attention, Reads::all},
      {"FusedMatMul", make_fused_mat_mul, Reads::all},
      {"MatMul", make_mat_mul, Reads::all},
      {"PackedMatrixVector", make_packed_product, Reads::all},

      // Recurrent layers
      {"GRU", make_recurrent, Reads::all},
      {"LSTM", make_recurrent, Reads::all},
      {"RNN", make_recurrent, Reads::all},

      // Pooling
      {"AveragePool", make_pool},
      {"GlobalAveragePool", make_global_pool},
      {"GlobalLpPool", make_global_pool},
      {"GlobalMaxPool", make_global_pool},
      {"LpPool", make_pool},
      {"MaxPool", make_pool},

      // Normalisation and softmax
      {"BatchNormalization", Normalize{"batch"}, Reads::all},
      {"GroupNormalization", Normalize{"group"}, Reads::all},
      {"InstanceNormalization", Normalize{"instance"}, Reads::all},
      {"LRN", make_lrn},
      {"LayerNormalization", Normalize{"layer"}, Reads::all},
      {"LogSoftmax", Softmax{}},
      {"RMSNormalization", Normalize{"rms"}, Reads::all},
      {"Softmax", Softmax{}},

      // Activations
      map("Celu", "celu", 7),  // max(0, x) + min(0, a (exp(x / a) - 1))
      map("Elu", "elu", 4),    // x > 0 ? x : a (exp(x) - 1)
      map("Erf", "erf", 1),
      map("Gelu", "gelu", 5),                 // x / 2 (1 + erf(x / sqrt 2))
      map("HardSigmoid", "hard_sigmoid", 4),  // max(0, min(1, a x + b))
      map("HardSwish", "hard_swish", 5),      // x hard_sigmoid(x)
      map("LeakyRelu", "leaky_relu", 2),      // x < 0 ? a x : x
      map("Mish", "mish", 5),                 // x tanh(log(1 + exp x))
      map("PRelu", "prelu", 2),               // x < 0 ? a x : x
      map("Relu", "relu", 1),                 // max(0, x)
      map("Selu", "selu", 5),                 // c (x > 0 ? x : a (exp(x) - 1))
      map("Sigmoid", "sigmoid", 4),           // 1 / (1 + exp(-x))
      map("Softplus", "softplus", 3),         // log(1 + exp x)
      map("Softsign", "softsign", 3),         // x / (1 + |x|)
      map("Swish", "silu", 5),                // x sigmoid(x)
      map("Tanh", "tanh", 1),
      map("RotaryEmbedding", "rotary", 3),            // x cos + half_turned(x) sin
      map("ThresholdedRelu", "thresholded_relu", 1),  // x > a ? x : 0
      {"Clip", Elementwise{"clip", 2}},               // min(max(x, low), high)

      // Arithmetic, one operation each
      map("Abs", "abs", 1),
      map("Acos", "acos", 1),
      map("Acosh", "acosh", 1),
      map("Add", "add", 1),
      map("Asin", "asin", 1),
      map("Asinh", "asinh", 1),
      map("Atan", "atan", 1),
      map("Atanh", "atanh", 1),
      map("BitShift", "bit_shift", 1),
      map("BitwiseAnd", "bitwise_and", 1),
      map("BitwiseNot", "bitwise_not", 1),
      map("BitwiseOr", "bitwise_or", 1),
      map("BitwiseXor", "bitwise_xor", 1),
      map("Ceil", "ceil", 1),
      map("Cos", "cos", 1),
      map("Cosh", "cosh", 1),
      map("Div", "div", 1),
      map("Exp", "exp", 1),
      map("Floor", "floor", 1),
      map("IsInf", "is_inf", 1),
      map("IsNaN", "is_nan", 1),
      map("Log", "log", 1),
      map("Mod", "mod", 1),
      map("Mul", "mul", 1),
      map("Neg", "neg", 1),
      map("Pow", "pow", 1),
      map("Reciprocal", "reciprocal", 1),
      map("Round", "round", 1),
      map("Sign", "sign", 1),
      map("Sin", "sin", 1),
      map("Sinh", "sinh", 1),
      map("Sqrt", "sqrt", 1),
      map("Sub", "sub", 1),
      map("Tan", "tan", 1),
      {"CumSum", Elementwise{"cumsum", 1}},
      {"Max", make_variadic, Reads::all},
      {"Mean", make_variadic, Reads::all},
      {"Min", make_variadic, Reads::all},
      {"Sum", make_variadic, Reads::all},

      // Comparison, logic, choice, conversion
      map("And", "and", 1),
      map("Equal", "equal", 1),
      map("Greater", "greater", 1),
      map("GreaterOrEqual", "greater_or_equal", 1),
      map("Less", "less", 1),
      map("LessOrEqual", "less_or_equal", 1),
      map("Not", "not", 1),
      map("Or", "or", 1),
      map("Where", "where", 1),
      map("Xor", "xor", 1),
      map("DequantizeLinear", "dequantize", 2),  // (x - zero) scale
      map("QuantizeLinear", "quantize", 5),      // max(low, min(high, round(x / scale) + zero))
      {"Cast", make_cast},
      {"CastLike", make_cast},

      // Reductions
      reduce("ArgMax", "argmax"),
      reduce("ArgMin", "argmin"),
      reduce("ReduceL1", "l1"),
      reduce("ReduceL2", "l2"),
      reduce("ReduceLogSum", "log_sum"),
      reduce("ReduceLogSumExp", "log_sum_exp"),
      reduce("ReduceMax", "max"),
      reduce("ReduceMean", "mean"),
      reduce("ReduceMin", "min"),
      reduce("ReduceProd", "prod"),
      reduce("ReduceSum", "sum"),
      reduce("ReduceSumSquare", "sum_square"),
      reduce("TopK", "topk"),

      // Sampling and selection
      map("AffineGrid", "affine_grid", 6),  // two rows of a matrix times (x, y, 1)
      {"GridSample", make_grid_sample, Reads::all},
      {"NonMaxSuppression", make_suppression, Reads::all},
      {"RoiAlign", make_roi_align, Reads::all},

      // Moves
      {"Col2Im", Move{"col2im"}},
      {"Compress", Move{"compress"}, Reads::all},
      {"Concat", make_move_or_view, Reads::all},
      {"DepthToSpace", Move{"depth_to_space"}},
      {"Expand", make_move_or_view},
      {"KeyValueCache", Move{"concat", true}, Reads::all},
      {"Gather", Move{"gather", true}, Reads::all},
      {"GatherElements", Move{"gather", true}, Reads::all},
      {"GatherND", Move{"gather", true}, Reads::all},
      {"NonZero", Move{"nonzero"}},
      {"OneHot", Move{"one_hot"}},
      {"Pad", make_move_or_view},
      {"Resize", make_resize},
      {"Roll", Move{"roll"}},
      {"ReverseSequence", Move{"reverse_sequence"}},
      {"ScanOutputs", Move{"concat"}, Reads::all},
      {"ScanSlice", Move{"slice", true}},
      {"ScatterElements", Move{"scatter"}, Reads::all},
      {"ScatterND", Move{"scatter"}, Reads::all},
      {"Slice", make_slice},
      {"SpaceToDepth", Move{"space_to_depth"}},
      {"Split", Move{"split"}},
      {"Tile", make_move_or_view},
      {"Transpose", make_transpose},
      {"Trilu", Move{"trilu"}},
      {"Unique", Move{"unique"}},
      {"Unpack", Move{"split"}},
      {"Upsample", make_resize},

      // Views
      view("Dropout", "dropout"),  // inference
      view("Flatten", "flatten"),
      view("Identity", "identity"),
      view("Reshape", "reshape"),
      view("Squeeze", "squeeze"),
      view("ToChannelsFirst", "layout"),
      view("ToChannelsLast", "layout"),
      view("Unsqueeze", "unsqueeze"),
  };
  return rows;
}

const OperatorRow* find_row(std::string_view type) {
  for (const OperatorRow& row : table()) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace

bool onnx_op_known(std::string_view onnx_type) { return find_row(onnx_type) != nullptr; }

std::vector<std::string> onnx_op_names() {
  std::vector<std::string> names = shape_only_names();
  for (const OperatorRow& row : table()) names.emplace_back(row.type);
  for (std::string& name : lowered_names()) names.push_back(std::move(name));
  for (std::string& name : control_names()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<OnnxOp> make_op(const OnnxGraph& graph, const OnnxNode& node) {
  const OperatorRow& row = *find_row(node.type);
  OnnxOp op;
  if (const auto* kind = std::get_if<OpKind>(&row.kind)) {
    op.kind = *kind;
  } else {
    auto made = TRY(std::get<Maker>(row.kind)(graph, node));
    op.kind = std::move(made);
  }
  for (const ValueId id : node.inputs) {
    if (id != kAbsent && (op.inputs.empty() || row.reads == Reads::all)) op.inputs.push_back(id);
  }
  if (op.inputs.empty()) return fail(ErrorCode::bad_input, "has no input");
  if (std::holds_alternative<Elementwise>(op.kind)) {  // activations before constants, whatever the exporter's order
    std::stable_partition(op.inputs.begin(), op.inputs.end(), [&](ValueId id) { return !graph.values[id].constant; });
  }
  return op;
}

}  // namespace rooftile
