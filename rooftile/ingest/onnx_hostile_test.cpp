// Files that no exporter writes: each ends in one line that says what and where.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Ints = TestModel::Ints;
using Attributes = std::vector<TestModel::Attribute>;

constexpr std::int64_t kHuge = std::int64_t{1} << 40;
constexpr std::int64_t kLargest = INT64_MAX;
constexpr std::int64_t kLowest = INT64_MIN;

std::string hostile_error(const std::string& bytes) {
  for (const bool skip : {true, false}) {
    const auto workload = parse_onnx(bytes, "m", "m.onnx", {.batch_size = {}, .skip_unsupported = skip});
    if (workload) return "no error";
    EXPECT_THAT(workload.error().text(), AllOf(StartsWith("m.onnx: "), Not(HasSubstr("\n"))));
    if (!skip) return workload.error().text();
  }
  return "";
}
std::string hostile_error(const TestModel& model) { return hostile_error(model.bytes()); }

TestModel relu(const Shape& shape) { return TestModel().input("x", shape).node("Relu", {"x"}, {"y"}).output("y"); }

TEST(OnnxHostile, NoModelAtAll) {
  EXPECT_EQ(hostile_error(std::string()), "m.onnx: the file is empty");
  EXPECT_THAT(hostile_error("hello, world"), HasSubstr("is this a complete ONNX file"));
  EXPECT_THAT(hostile_error("{\"schema\": 1}"), HasSubstr("is this a complete ONNX file"));
  EXPECT_EQ(hostile_error("\x08\x08"), "m.onnx: holds no graph; is this an ONNX file?");
}

TEST(OnnxHostile, NoOperatorSet) {
  const TestModel model = TestModel(0).input("x", {1}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(hostile_error(model), "m.onnx: does not say which operator set of ONNX it uses (opset_import)");
  EXPECT_THAT(hostile_error(TestModel(-3).input("x", {1}).node("Relu", {"x"}, {"y"})), HasSubstr("operator set -3"));
}

TEST(OnnxHostile, NothingInTheGraph) {
  EXPECT_EQ(hostile_error(TestModel().input("x", {1}).output("x")), "m.onnx: the graph has no nodes");
  EXPECT_EQ(hostile_error(TestModel().node("Relu", {"x"}, {"y"})), "m.onnx: the graph has no inputs");
  EXPECT_THAT(hostile_error(TestModel().input("x", {1}).node("Relu", {"x"}, {"y"})), HasSubstr("computes nothing"));
}

TEST(OnnxHostile, Dimensions) {
  EXPECT_EQ(hostile_error(relu({1, -3})), "m.onnx: input 'x' has the dimension -3");
  EXPECT_EQ(hostile_error(relu({1, 0})), "m.onnx: input 'x' has the dimension 0");
  EXPECT_EQ(hostile_error(relu({1, kHuge})),
            "m.onnx: 'x' has the dimension 1099511627776, not between 1 and 2147483648");
  EXPECT_THAT(hostile_error(relu({1, kLowest})), HasSubstr("dimension -9223372036854775808"));
  EXPECT_THAT(hostile_error(relu({1 << 30, 1 << 30, 1 << 30})), HasSubstr("elements, more than"));
  EXPECT_THAT(hostile_error(relu(Shape(1000, 1))), HasSubstr("1000 dimensions"));
}

TEST(OnnxHostile, BillionElementsThatAreComputed) {
  const auto with = [](const std::string& type, const Ints& shape) {
    return TestModel().input("x", {1}).ints("s", shape).node(type, {"x", "s"}, {"y"}).output("y");
  };
  EXPECT_EQ(hostile_error(with("Expand", {1000, 1000, 1000})), "no error");  // large, but a tensor as any other
  EXPECT_THAT(hostile_error(with("Expand", {1 << 30, 1 << 30})), HasSubstr("elements, more than"));
  EXPECT_THAT(hostile_error(with("Expand", {kLargest})), HasSubstr("'y' has the dimension"));
  EXPECT_THAT(hostile_error(with("Tile", {kLargest})), HasSubstr("node 'y' (Tile)"));
  EXPECT_THAT(hostile_error(with("Reshape", {kLargest, kLargest})), HasSubstr("its new shape has the dimension"));
  EXPECT_THAT(hostile_error(with("Reshape", {1 << 30, 1 << 30, 1 << 30})), HasSubstr("is too large"));
  EXPECT_THAT(hostile_error(with("Reshape", {-2})), HasSubstr("its new shape has the dimension -2"));
}

TEST(OnnxHostile, ShapesWithABillionDimensions) {
  for (const std::string type : {"Expand", "Reshape", "Tile"}) {
    const TestModel model =
        TestModel().input("x", {1}).external("s", {1 << 30}, "shape.bin").node(type, {"x", "s"}, {"y"}).output("y");
    EXPECT_THAT(hostile_error(model), HasSubstr("the shape of its output cannot be known")) << type;
  }
}

TEST(OnnxHostile, BillionElementsOfConstants) {
  const TestModel range = TestModel()
                              .input("x", {1})
                              .integer("a", 0)
                              .integer("b", kHuge)
                              .integer("c", 1)
                              .node("Range", {"a", "b", "c"}, {"r"})
                              .node("Add", {"x", "r"}, {"y"})
                              .output("y");
  EXPECT_THAT(hostile_error(range), HasSubstr("node 'r' (Range): 'r' has the dimension"));
  const TestModel filled = TestModel()
                               .input("x", {1})
                               .ints("s", {1 << 30, 1 << 30})
                               .node("ConstantOfShape", {"s"}, {"f"})
                               .node("Add", {"x", "f"}, {"y"})
                               .output("y");
  EXPECT_THAT(hostile_error(filled), HasSubstr("node 'f' (ConstantOfShape): 'f' has 1.15e+18 elements"));
}

TEST(OnnxHostile, CyclesAndMissingTensors) {
  const TestModel cycle =
      TestModel().input("x", {1}).node("Add", {"x", "b"}, {"a"}).node("Relu", {"a"}, {"b"}).output("b");
  EXPECT_EQ(hostile_error(cycle), "m.onnx: node 'a' (Add): reads 'b', which nothing before it computes");
  const TestModel itself = TestModel().input("x", {1}).node("Add", {"x", "y"}, {"y"}).output("y");
  EXPECT_EQ(hostile_error(itself), "m.onnx: node 'y' (Add): reads 'y', which nothing before it computes");
  const TestModel missing = TestModel().input("x", {1}).node("Relu", {"x"}, {"y"}).output("z");
  EXPECT_EQ(hostile_error(missing), "m.onnx: output 'z' is never computed");
  const TestModel unread = TestModel().input("x", {1}).node("Relu", {}, {"y"}).output("y");
  EXPECT_THAT(hostile_error(unread), HasSubstr("node 'y' (Relu): "));
}

TEST(OnnxHostile, NamesThatAreThereTwice) {
  const TestModel outputs =
      TestModel().input("x", {1}).node("Relu", {"x"}, {"y"}).node("Abs", {"x"}, {"y"}).output("y");
  EXPECT_EQ(hostile_error(outputs), "m.onnx: node 'y' (Abs): computes 'y', which already exists");
  const TestModel over_input = TestModel().input("x", {1}).node("Relu", {"x"}, {"x"}).output("x");
  EXPECT_EQ(hostile_error(over_input), "m.onnx: node 'x' (Relu): computes 'x', which already exists");
  EXPECT_EQ(hostile_error(relu({1}).input("x", {2})), "m.onnx: input 'x' appears twice");
  EXPECT_EQ(hostile_error(relu({1}).weight("w", {2}).weight("w", {2})), "m.onnx: initializer 'w' appears twice");
}

TEST(OnnxHostile, EmptyAndUglyNames) {
  EXPECT_THAT(hostile_error(TestModel().input("x", {1}).node("", {"x"}, {"y"}).output("y")),
              HasSubstr("has no operator"));
  EXPECT_THAT(hostile_error(TestModel().input("x", {1}).node("Relu", {"x"}, {""}).output("x")),
              HasSubstr("has no output"));
  EXPECT_THAT(hostile_error(TestModel().input("x", {1}).node("Relu", {"x"}, {}).output("x")),
              HasSubstr("has no output"));
  const std::string error = hostile_error(relu({1}).node("a\nb\x1b[31m\xff" + std::string(5000, 'z'), {"x"}, {"z"}));
  EXPECT_THAT(error, HasSubstr("operator 'a?b?[31m?zzz"));
  EXPECT_LT(error.size(), 500u);
}

TEST(OnnxHostile, NamesOfAWorkloadAreOneLineOfUtf8) {
  const auto workload =
      parse_onnx(TestModel().input("x\n\xc3\xa9", {1}).node("Relu", {"x\n\xc3\xa9"}, {"y\xc3"}).output("y\xc3").bytes(),
                 "m", "m.onnx");
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->tensors[0].name, "x?\xc3\xa9");
  EXPECT_EQ(workload->tensors[1].name, "y?");
}

TEST(OnnxHostile, LongNamesMakeNoLongErrors) {
  const std::string name(1 << 20, 'z');
  const auto none = TestModel().input(name, {1, 0}).node("Relu", {name}, {name + "y"}).output(name + "y");
  EXPECT_LT(hostile_error(none).size(), 1000u);
  const auto gone = TestModel().input("x", {1}).node("Relu", {name}, {"y"}).name_node(name).output("y");
  EXPECT_LT(hostile_error(gone).size(), 1000u);
}

TEST(OnnxHostile, ConvolutionGeometry) {
  const auto with = [](const Attributes& attributes, const Shape& filter = {2, 4, 3, 3}) {
    return hostile_error(TestModel()
                             .input("x", {1, 4, 8, 8})
                             .weight("w", filter)
                             .node("Conv", {"x", "w"}, {"y"}, attributes)
                             .output("y"));
  };
  const std::string node = "m.onnx: node 'y' (Conv): ";
  EXPECT_EQ(with({}), "no error");
  EXPECT_EQ(with({{"group", 0}}), node + "group is 0");
  EXPECT_EQ(with({{"group", 3}}), node + "filter 2x4x3x3 in 3 groups does not fit input 1x4x8x8");
  EXPECT_EQ(with({{"strides", Ints{0, 1}}}), node + "strides contains 0");
  EXPECT_EQ(with({{"dilations", Ints{1, -1}}}), node + "dilations contains -1");
  EXPECT_EQ(with({{"pads", Ints{1, 1}}}), node + "pads has 2 entries where 4 are needed");
  EXPECT_EQ(with({{"pads", Ints{1, 1, -1, 1}}}), node + "pads contains -1");
  EXPECT_EQ(with({{"strides", Ints(5000, 1)}}), node + "strides has 5000 entries where 2 are needed");
  EXPECT_EQ(with({{"strides", Ints{kLargest, 1}}}), node + "attribute 'strides' contains 9223372036854775807");
  EXPECT_EQ(with({{"kernel_shape", Ints{5, 5}}}), node + "kernel_shape 5x5 differs from the filter 2x4x3x3");
  EXPECT_EQ(with({{"auto_pad", "SAME"}}), node + "auto_pad 'SAME' is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
  EXPECT_EQ(with({}, {2, 4, 0, 3}), node + "kernel_shape contains 0");
  EXPECT_EQ(with({}, {2, 4, 3}), node + "filter 2x4x3 does not fit input 1x4x8x8");
  EXPECT_THAT(with({}, {2, 4, 9, 9}), StartsWith(node));  // larger than its input
  EXPECT_THAT(with({{"dilations", Ints{1 << 30, 1 << 30}}}), StartsWith(node));
}

TEST(OnnxHostile, FourSpatialDimensions) {
  const TestModel model = TestModel()
                              .input("x", {1, 1, 4, 4, 4, 4})
                              .weight("w", {1, 1, 1, 1, 1, 1})
                              .node("Conv", {"x", "w"}, {"y"})
                              .output("y");
  EXPECT_THAT(hostile_error(model), HasSubstr("1x1x4x4x4x4 does not have one to three spatial dimensions"));
}

TEST(OnnxHostile, AttributesThatOverflow) {
  const TestModel blocks = TestModel()
                               .input("x", {1, 4, 4, 4})
                               .node("DepthToSpace", {"x"}, {"y"}, {{"blocksize", std::int64_t{1} << 32}})
                               .output("y");
  EXPECT_EQ(hostile_error(blocks), "m.onnx: node 'y' (DepthToSpace): attribute 'blocksize' is 4294967296");
}

TEST(OnnxHostile, PoolsWithoutAWindow) {
  const auto with = [](const Attributes& attributes) {
    return hostile_error(TestModel().input("x", {1, 4, 8, 8}).node("MaxPool", {"x"}, {"y"}, attributes).output("y"));
  };
  EXPECT_THAT(with({}), HasSubstr("kernel_shape has 0 entries where 2 are needed"));
  EXPECT_THAT(with({{"kernel_shape", Ints{0, 0}}}), HasSubstr("kernel_shape contains 0"));
  EXPECT_THAT(with({{"kernel_shape", Ints{1 << 30, 1 << 30}}}), HasSubstr("node 'y' (MaxPool)"));
}

TEST(OnnxHostile, MatricesThatDoNotMultiply) {
  const TestModel gemm = TestModel().input("x", {2, 3}).weight("w", {4, 5}).node("Gemm", {"x", "w"}, {"y"}).output("y");
  EXPECT_THAT(hostile_error(gemm), HasSubstr("node 'y' (Gemm): matrices 2x3 and 4x5 do not multiply"));
  const TestModel product =
      TestModel().input("x", {2, 3}).weight("w", {4, 5}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  EXPECT_THAT(hostile_error(product), HasSubstr("node 'y' (MatMul)"));
}

TEST(OnnxHostile, ExternalDataIsNotOpened) {
  const TestModel weight = TestModel()
                               .input("x", {TestModel::kBatch, 4})
                               .external("w", {4, 8}, "/etc/passwd")
                               .node("MatMul", {"x", "w"}, {"y"})
                               .output("y");
  EXPECT_EQ(hostile_error(weight), "no error");  // its shape is all that is needed
  const TestModel shape = TestModel()
                              .input("x", {TestModel::kBatch, 4})
                              .external("s", {2}, "/etc/passwd")
                              .node("Reshape", {"x", "s"}, {"y"})
                              .output("y");
  EXPECT_EQ(hostile_error(shape),
            "m.onnx: node 'y' (Reshape): the shape of its output cannot be known before the network runs; "
            "its operand 's' is in another file, which is not opened");
}

TEST(OnnxHostile, GraphsWithinNodes) {
  const TestModel model = TestModel().input("x", {1}).node("If", {"x"}, {"y"}).output("y");
  EXPECT_THAT(hostile_error(model), HasSubstr("node 'y' (If): does not have two branches"));
}

TEST(OnnxHostile, OperandsOfFusedOperatorsThatMakeNoSense) {
  const auto with = [](const std::string& type, const std::vector<Shape>& shapes, const Attributes& attributes) {
    TestModel model;
    std::vector<std::string> inputs;
    for (const Shape& shape : shapes) {
      inputs.push_back("x" + std::to_string(inputs.size()));
      if (!shape.empty()) model.input(inputs.back(), shape);
      if (shape.empty()) inputs.back().clear();
    }
    return hostile_error(model.node(type, inputs, {"y"}, attributes).domain_node("com.microsoft").output("y"));
  };
  const TestModel::Attribute heads = {"num_heads", std::int64_t{-2}};
  const Shape flat = {4}, row = {1, 2, 8}, rows = {2, 8};
  for (const std::string type : {"Attention",
                                 "MultiHeadAttention",
                                 "GroupQueryAttention",
                                 "QAttention",
                                 "DecoderMaskedMultiHeadAttention",
                                 "SkipLayerNormalization",
                                 "EmbedLayerNormalization",
                                 "MatMulNBits",
                                 "MatMulBnb4",
                                 "FusedMatMul",
                                 "FusedConv",
                                 "NhwcConv",
                                 "NhwcMaxPool",
                                 "QLinearConcat",
                                 "QLinearGlobalAveragePool",
                                 "BiasSplitGelu",
                                 "GatherBlockQuantized",
                                 "GroupNorm",
                                 "DynamicQuantizeMatMul",
                                 "QGemm",
                                 "GemmFastGelu",
                                 "RotaryEmbedding"}) {
    for (const auto& shapes : {std::vector<Shape>{},
                               {flat},
                               {row},
                               {row, rows},
                               {flat, flat, flat, flat, flat, flat, flat},
                               {row, row, row, row, row, row, row, row, row},
                               {row, {}, {}, {row}, {}, rows, rows}}) {
      for (const Attributes& attributes :
           {Attributes{},
            {heads},
            {{"num_heads", 1 << 30}, {"kv_num_heads", 3}},
            {{"K", kLargest}, {"N", kLowest}},
            {{"num_heads", 2}, {"kv_num_heads", 1}, {"qkv_hidden_sizes", Ints{kLargest, kLargest, 3}}}}) {
        with(type, shapes, attributes);  // which checks that the answer is one line
      }
    }
  }
  EXPECT_THAT(with("MatMulNBits", {{1, 8}, {4, 1, 16}, {4, 1}}, {{"K", kLargest}, {"N", 4}}),
              HasSubstr("attribute 'K' is 9223372036854775807"));
  EXPECT_THAT(with("MatMulNBits", {{3, 8}, {4, 1, 16}, {4, 1}}, {{"K", 16}, {"N", 4}}),
              HasSubstr("weights of 16 inputs do not fit 3x8"));
}

TEST(OnnxHostile, BoundsThatOverflow) {
  const TestModel zeros = TestModel().input("x", {1 << 20, 1 << 20}).node("NonZero", {"x"}, {"y"}).output("y");
  EXPECT_THAT(hostile_error(zeros), HasSubstr("node 'y' (NonZero): 'y' has the dimension"));
  const TestModel boxes = TestModel()
                              .input("b", {1 << 20, 1 << 10, 4})
                              .input("s", {1 << 20, 1 << 10, 1 << 10})
                              .node("NonMaxSuppression", {"b", "s"}, {"y"})
                              .output("y");
  EXPECT_THAT(hostile_error(boxes), HasSubstr("node 'y' (NonMaxSuppression)"));
  const TestModel depth = TestModel()
                              .input("x", {4})
                              .integer("d", kLargest)
                              .floats("v", {0, 1})
                              .node("OneHot", {"x", "d", "v"}, {"y"})
                              .output("y");
  EXPECT_THAT(hostile_error(depth), HasSubstr("'y' has the dimension 9223372036854775807"));
}

TEST(OnnxHostile, BranchesWithinBranches) {
  const auto with = [](int depth, bool both) {
    const auto last = TestModel().node("Relu", {"x"}, {"y"}).output("y").body();
    TestModel::Body inner = last;
    for (int i = 0; i < depth; ++i) {
      inner = TestModel()
                  .node("If", {"c"}, {"y"}, {{"then_branch", inner}, {"else_branch", both ? inner : last}})
                  .output("y")
                  .body();
    }
    return hostile_error(TestModel()
                             .input("x", {2})
                             .input("c", {}, TestModel::kBool)
                             .node("If", {"c"}, {"z"}, {{"then_branch", inner}, {"else_branch", last}})
                             .output("z"));
  };
  EXPECT_EQ(with(15, false), "no error");
  EXPECT_EQ(with(8, true), "no error");
  EXPECT_THAT(with(40, false), HasSubstr("messages are nested more than 64 deep"));
}

TEST(OnnxHostile, LongChainsAreFast) {
  TestModel model;
  model.input("x", {1, 8});
  std::string last = "x";
  for (int i = 0; i < 20000; ++i) {
    const std::string next = "t" + std::to_string(i);
    model.node("Add", {last, "x"}, {next});
    last = next;
  }
  EXPECT_EQ(hostile_error(model.output(last)), "no error");
}

}  // namespace
}  // namespace rooftile
