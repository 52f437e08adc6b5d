// Batch sizes, symbolic dimensions, and shapes that a graph computes.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using Ints = TestModel::Ints;

// Shape of the only output, with that many ops in the workload.
Shape output_of(const TestModel& model, std::size_t ops, std::optional<std::int64_t> batch = {}) {
  const auto workload = parse_onnx(model.bytes(), "m", "m.onnx", {.batch_size = batch, .skip_unsupported = false});
  if (!workload) {
    ADD_FAILURE() << workload.error().text();
    return {};
  }
  EXPECT_EQ(workload->ops.size(), ops);
  return workload->tensors[workload->outputs[0]].shape;
}

TEST(OnnxBatch, OfTheFileOneOrAsAsked) {
  const TestModel symbolic = TestModel().input("x", {TestModel::kBatch, 3}).node("Relu", {"x"}, {"y"}).output("y");
  const TestModel fixed = TestModel().input("x", {4, 3}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(output_of(symbolic, 1), (Shape{1, 3}));
  EXPECT_EQ(output_of(symbolic, 1, 32), (Shape{32, 3}));
  EXPECT_EQ(output_of(fixed, 1), (Shape{4, 3}));
  EXPECT_EQ(output_of(fixed, 1, 32), (Shape{32, 3}));
}

TEST(OnnxBatch, ItsSymbolMeansTheBatchElsewhereToo) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 3})
                              .input("mask", {1, TestModel::kBatch})
                              .node("MatMul", {"mask", "x"}, {"y"})
                              .output("y");
  EXPECT_EQ(output_of(model, 1), (Shape{1, 3}));
}

TEST(OnnxBatch, OfAStaticExportIsReplacedInItsReshapes) {
  const TestModel model =
      TestModel().input("x", {2, 8, 4}).ints("s", {2, 4, 8}).node("Reshape", {"x", "s"}, {"y"}).output("y");
  EXPECT_EQ(output_of(model, 1), (Shape{2, 4, 8}));
  EXPECT_EQ(output_of(model, 1, 64), (Shape{64, 4, 8}));
}

TEST(OnnxBatch, MustBePositive) {
  const TestModel model = TestModel().input("x", {TestModel::kBatch, 3}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(error_of(model, {.batch_size = 0, .skip_unsupported = false}),
              HasSubstr("batch size 0 is not between 1 and"));
  EXPECT_THAT(error_of(model, {.batch_size = -5, .skip_unsupported = false}), HasSubstr("batch size -5"));
}

TEST(OnnxInput, OtherOpenDimensionsAreNamed) {
  const TestModel model =
      TestModel().input("x", {TestModel::kBatch, 3, TestModel::kWidth}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(error_of(model),
            "m.onnx: input 'x' leaves dimension 2 ('width') open; say how large it is (--shape width=224)");
}

TEST(OnnxInput, OpenDimensionsAreSetByName) {
  const TestModel model =
      TestModel().input("x", {TestModel::kBatch, 3, TestModel::kWidth}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(parse_onnx(model.bytes(), "m", "m", {.dims = {{"width", 7}}})->tensors.at(1).shape, (Shape{1, 3, 7}));
  EXPECT_EQ(parse_onnx(model.bytes(), "m", "m", {.dims = {{"batch", 2}, {"width", 7}}})->tensors.at(1).shape,
            (Shape{2, 3, 7}));
  EXPECT_EQ(error_of(model, {.dims = {{"hight", 7}}}),
            "m.onnx: has no open dimension 'hight'; it has 'batch', 'width'");
  const TestModel ids = TestModel().input("ids", {8}).node("Relu", {"ids"}, {"y"}).output("y");
  EXPECT_EQ(parse_onnx(ids.bytes(), "m", "m", {.dims = {{"ids", 5}}})->tensors.at(1).shape, Shape{5});
  EXPECT_EQ(error_of(model, {.dims = {{"x", 5}}}), "m.onnx: input 'x' has 3 dimensions, not those of 5");
}

TEST(OnnxInput, ShapesAreSetByName) {
  const TestModel model =
      TestModel().input("x", {TestModel::kBatch, 3, TestModel::kWidth}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(parse_onnx(model.bytes(), "m", "m", {.shapes = {{"x", {4, 3, 9}}}})->tensors.at(1).shape, (Shape{4, 3, 9}));
  EXPECT_EQ(error_of(model, {.shapes = {{"x", {4, 3}}}}), "m.onnx: input 'x' has 3 dimensions, not those of 4x3");
  EXPECT_EQ(error_of(model, {.shapes = {{"y", {4, 3}}}}), "m.onnx: has no input 'y'; it has 'x'; did you mean 'x'?");
  const TestModel fixed =
      TestModel().input("x", {2, 8, 4}).ints("s", {2, 32}).node("Reshape", {"x", "s"}, {"y"}).output("y");
  EXPECT_EQ(parse_onnx(fixed.bytes(), "m", "m", {.shapes = {{"x", {6, 8, 4}}}})->tensors.at(1).shape, (Shape{6, 32}));
}

TEST(OnnxInput, ImagesOfAnotherSize) {
  const TestModel model = TestModel().input("x", {TestModel::kBatch, 3, 8, 8}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(parse_onnx(model.bytes(), "m", "m", {.image_size = 16})->tensors.at(1).shape, (Shape{1, 3, 16, 16}));
  const TestModel text = TestModel().input("x", {TestModel::kBatch, 3}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(error_of(text, {.image_size = 16}), "m.onnx: takes no images whose size could be set");
}

// Flatten as older exporters write it: x.view(x.size(0), -1).
TEST(OnnxFold, ShapeGatherConcatReshape) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 8, 4, 4})
                              .integer("zero", 0)
                              .ints("axes", {0})
                              .ints("rest", {-1})
                              .node("Shape", {"x"}, {"shape"})
                              .node("Gather", {"shape", "zero"}, {"n"})
                              .node("Unsqueeze", {"n", "axes"}, {"n1"})
                              .node("Concat", {"n1", "rest"}, {"target"}, {{"axis", 0}})
                              .node("Reshape", {"x", "target"}, {"y"})
                              .output("y");
  EXPECT_EQ(output_of(model, 1, 16), (Shape{16, 128}));
}

// Upsampling by a factor as PyTorch writes it: floor of size x scale, by way of floats.
TEST(OnnxFold, SizesByWayOfFloats) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 8, 5, 7})
                              .ints("zero", {0})
                              .ints("two", {2})
                              .ints("four", {4})
                              .number("scale", 1.5)
                              .floats("none", {})
                              .node("Shape", {"x"}, {"shape"})
                              .node("Slice", {"shape", "two", "four"}, {"hw"})
                              .node("Slice", {"shape", "zero", "two"}, {"nc"})
                              .node("Cast", {"hw"}, {"hwf"}, {{"to", 1}})
                              .node("Mul", {"hwf", "scale"}, {"scaled"})
                              .node("Floor", {"scaled"}, {"floored"})
                              .node("Cast", {"floored"}, {"sizes"}, {{"to", 7}})
                              .node("Concat", {"nc", "sizes"}, {"target"}, {{"axis", 0}})
                              .node("Resize", {"x", "none", "none", "target"}, {"y"}, {{"mode", "linear"}})
                              .output("y");
  EXPECT_EQ(output_of(model, 1, 3), (Shape{3, 8, 7, 10}));
}

// The number of channels divided among groups, negative indices, a step backwards.
TEST(OnnxFold, Arithmetic) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 12, 5})
                              .ints("axis", {0})
                              .ints("one", {1})
                              .ints("minus_one", {-1})
                              .ints("begin", {-9})
                              .ints("groups", {3})
                              .node("Shape", {"x"}, {"shape"})
                              .node("Gather", {"shape", "one"}, {"c"})
                              .node("Div", {"c", "groups"}, {"per_group"})
                              .node("Mod", {"c", "groups"}, {"rest"})
                              .node("Sub", {"groups", "rest"}, {"g"})
                              .node("Slice", {"shape", "minus_one", "begin", "axis", "minus_one"}, {"reversed"})
                              .node("Gather", {"reversed", "axis"}, {"width"})
                              .node("Concat", {"minus_one", "g", "per_group", "width"}, {"target"}, {{"axis", 0}})
                              .node("Reshape", {"x", "target"}, {"y"})
                              .output("y");
  EXPECT_EQ(output_of(model, 1, 2), (Shape{2, 3, 4, 5}));
}

// Expand's "-1 keeps the dimension" as PyTorch writes it: Where(Equal(sizes, -1), ones, sizes).
TEST(OnnxFold, ChoosesAndExpands) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 1, 4})
                              .ints("sizes", {-1, 6, -1})
                              .ints("three", {3})
                              .ints("minus_one", {-1})
                              .node("ConstantOfShape", {"three"}, {"zeros"})
                              .node("Cast", {"zeros"}, {"integers"}, {{"to", 7}})
                              .ints("one", {1})
                              .node("Add", {"integers", "one"}, {"ones"})
                              .node("Equal", {"sizes", "minus_one"}, {"keep"})
                              .node("Where", {"keep", "ones", "sizes"}, {"target"})
                              .node("Expand", {"x", "target"}, {"y"})
                              .output("y");
  EXPECT_EQ(output_of(model, 1, 2), (Shape{2, 6, 4}));
}

TEST(OnnxFold, WhatDependsOnNoInputIsAConstant) {
  const auto workload = parse_onnx(TestModel()
                                       .input("x", {TestModel::kBatch, 8})
                                       .weight("w", {16, 8})
                                       .node("Transpose", {"w"}, {"wt"})
                                       .node("MatMul", {"x", "wt"}, {"y"})
                                       .output("y")
                                       .bytes(),
                                   "m", "m.onnx");
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->ops.size(), 1u);
  EXPECT_TRUE(workload->tensors[workload->ops[0].inputs[1]].constant);
  EXPECT_EQ(workload->tensors[workload->ops[0].inputs[1]].shape, (Shape{8, 16}));
}

TEST(OnnxFold, OverflowIsNotAShape) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 4})
                              .ints("huge", {std::int64_t{1} << 62})
                              .node("Mul", {"huge", "huge"}, {"t"})
                              .node("Reshape", {"x", "t"}, {"y"})
                              .output("y");
  EXPECT_EQ(error_of(model),
            "m.onnx: node 'y' (Reshape): the shape of its output cannot be known before the network runs");
}

TEST(OnnxUnused, OpsThatNoOutputNeedsAreLeftOut) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 4})
                              .node("Relu", {"x"}, {"y"})
                              .node("Exp", {"x"}, {"unused"})
                              .output("y");
  EXPECT_EQ(output_of(model, 1), (Shape{1, 4}));
}

TEST(OnnxUnsupported, IsNamedWithItsNeighbour) {
  const TestModel model = TestModel().input("x", {TestModel::kBatch, 4}).node("Rleu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(error_of(model), "m.onnx: node 'y' (Rleu): operator 'Rleu' is not supported; did you mean 'Relu'?");
  const TestModel other = TestModel()
                              .input("x", {TestModel::kBatch, 4})
                              .node("BeamSearch", {"x"}, {"y"})
                              .domain_node("com.microsoft")
                              .output("y");
  EXPECT_THAT(error_of(other), HasSubstr("operator 'com.microsoft.BeamSearch' is not supported"));
}

// The flag is named only where it helps: for operators whose shapes are known.
TEST(OnnxUnsupported, NamesTheFlagThatLeavesItOut) {
  const auto with = [](const std::string& type) {
    return error_of(TestModel().input("x", {TestModel::kBatch, 4}).node(type, {"x"}, {"y"}).output("y"));
  };
  EXPECT_EQ(with("Hardmax"),
            "m.onnx: node 'y' (Hardmax): operator 'Hardmax' is not supported; did you mean 'ArgMax'? "
            "(--skip-unsupported leaves it out)");
  EXPECT_EQ(with("TfIdfVectorizer"),
            "m.onnx: node 'y' (TfIdfVectorizer): operator 'TfIdfVectorizer' is not supported; "
            "export the model without it");
}

// Shapes after an operator without a rule are unknown; that must not keep the later ones from being found.
TEST(OnnxUnsupported, AllAreFoundFromTheGraphAlone) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 4})
                              .node("Relu", {"x"}, {"a"})
                              .node("TfIdfVectorizer", {"a"}, {"b"})
                              .name_node("find\n")
                              .node("Shape", {"b"}, {"s"})
                              .node("BeamSearch", {"b"}, {"c"})
                              .domain_node("com.microsoft")
                              .node("TfIdfVectorizer", {"c"}, {"y"})
                              .output("y");
  const auto found = parse_unsupported_operators(model.bytes(), "m.onnx");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(*found, (std::vector<Skipped>{
                        {"find?", "TfIdfVectorizer"}, {"c", "com.microsoft.BeamSearch"}, {"y", "TfIdfVectorizer"}}));
  const auto none = parse_unsupported_operators(
      TestModel().input("x", {TestModel::kBatch, 4}).node("Relu", {"x"}, {"y"}).output("y").bytes(), "m.onnx");
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_TRUE(none->empty());
  const auto empty = parse_unsupported_operators("", "m.onnx");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().text(), "m.onnx: the file is empty");
  EXPECT_FALSE(read_unsupported_operators("no/such.onnx"));
}

TEST(OnnxUnsupported, IsSkippedOnRequestIfItsShapesAreKnown) {
  const TestModel model = TestModel()
                              .input("x", {TestModel::kBatch, 4})
                              .node("Relu", {"x"}, {"a"})
                              .node("Hardmax", {"a"}, {"b"})
                              .name_node("gate")
                              .node("Exp", {"b"}, {"y"})
                              .output("y");
  const auto workload = parse_onnx(model.bytes(), "m", "m.onnx", {.batch_size = 2, .skip_unsupported = true});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->ops.size(), 2u);
  EXPECT_EQ(workload->skipped, (std::vector<Skipped>{{"gate", "Hardmax"}}));
  EXPECT_EQ(workload->inputs.size(), 2u);  // what Hardmax would have computed comes from outside
  const TestModel unknown = TestModel().input("x", {TestModel::kBatch, 4}).node("Rleu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(error_of(unknown, {.batch_size = 2, .skip_unsupported = true}),
              HasSubstr("node 'y' (Rleu): the shapes of its outputs are not known"));
}

// As torchvision's detection networks are exported: the batch is added within.
TestModel one_image(const Shape& shape, const Shape& filters) {
  return TestModel()
      .input("x", shape)
      .ints("axis", {0})
      .node("Unsqueeze", {"x", "axis"}, {"images"})
      .weight("w", filters)
      .node("Conv", {"images", "w"}, {"y"})
      .output("y");
}

TEST(OnnxInputs, OneImageWithoutABatchIsNotABatchOfItsChannels) {
  const TestModel model = one_image({3, 64, 64}, {8, 3, 3, 3});
  const auto read = [](const TestModel& of, const OnnxOptions& options) {
    return parse_onnx(of.bytes(), "m", "m.onnx", options).value();
  };
  EXPECT_EQ(read(model, {}).batch_size, 1);
  EXPECT_EQ(shape_of(read(model, {.batch_size = 1})), (Shape{1, 8, 62, 62}));
  EXPECT_EQ(shape_of(read(model, {.image_size = 128})), (Shape{1, 8, 126, 126}));
  EXPECT_THAT(error_of(model, {.batch_size = 4}), HasSubstr("input 'x' is one image without a batch"));
  const TestModel batch =
      TestModel().input("x", {3, 16, 64}).weight("w", {8, 16, 3}).node("Conv", {"x", "w"}, {"y"}).output("y");
  EXPECT_EQ(read(batch, {}).batch_size, 3) << "signals";
}

}  // namespace
}  // namespace rooftile
