#include "rooftile/ops/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ops/infer.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : result.error().text();
}

OpSpec spec(const std::string& name, OpKind kind, std::vector<TensorId> inputs, std::optional<Shape> shape = {}) {
  OpSpec result;
  result.name = name;
  result.kind = std::move(kind);
  result.inputs = std::move(inputs);
  result.shape = std::move(shape);
  return result;
}

TEST(Builder, NamesShapesAndWeights) {
  WorkloadBuilder builder("net");
  const TensorId x = builder.input({.name = "x", .shape = Shape{4, 8}}).value();
  const auto y = builder.add(spec("fc", Gemm{.m = 4, .n = 3, .k = 8, .bias = true}, {x}));
  ASSERT_TRUE(y.has_value());
  const auto z = builder.add(spec("relu", Elementwise{.function = "relu"}, *y));
  ASSERT_TRUE(z.has_value());
  const Workload workload = builder.finish().value();
  EXPECT_TRUE(validate(workload).has_value());
  std::vector<std::string> names;
  for (const Tensor& tensor : workload.tensors) names.push_back(tensor.name);
  EXPECT_THAT(names, ElementsAre("x", "fc.weight", "fc.bias", "fc", "relu"));
  EXPECT_EQ(workload.tensors[1].shape, (Shape{8, 3}));
  EXPECT_TRUE(workload.tensors[2].constant);
  EXPECT_EQ(workload.tensors[3].shape, (Shape{4, 3}));
  EXPECT_EQ(workload.batch_size, 4);
  EXPECT_EQ(workload.outputs, *z);
}

TEST(Builder, ResultsInheritTheType) {
  WorkloadBuilder builder("net");
  const TensorId x = builder.input({.name = "x", .shape = Shape{2}, .dtype = DType::fp16}).value();
  OpSpec cast = spec("cast", Elementwise{.function = "cast"}, {x});
  cast.outputs = {{.name = "y", .dtype = DType::int8}};
  const TensorId y = builder.add(cast).value().front();
  builder.add(spec("relu", Elementwise{.function = "relu"}, {y})).value();
  const Workload workload = builder.finish().value();
  EXPECT_EQ(workload.tensors[1].dtype, DType::int8);
  EXPECT_EQ(workload.tensors[2].dtype, DType::int8);
}

TEST(Builder, AnnouncedTensorsKeepTheirPlace) {
  WorkloadBuilder builder("net");
  EXPECT_EQ(builder.announce("y").value(), 0u);
  const TensorId x = builder.input({.name = "x", .shape = Shape{2}}).value();
  EXPECT_EQ(error_of(builder.find("y")), "nothing before this produces 'y'");
  EXPECT_THAT(builder.add(spec("y", Softmax(), {x})).value(), ElementsAre(0u));
  EXPECT_EQ(builder.find("y").value(), 0u);
  EXPECT_TRUE(builder.finish().has_value());

  WorkloadBuilder unfinished("net");
  unfinished.announce("y").value();
  EXPECT_EQ(error_of(unfinished.finish()), "no op produces 'y'");
}

TEST(Builder, Errors) {
  WorkloadBuilder builder("net");
  const TensorId x = builder.input({.name = "x", .shape = Shape{1, 6, 4, 4}}).value();
  EXPECT_EQ(error_of(builder.input({.name = "x", .shape = Shape{1}})), "two tensors are called 'x'");
  EXPECT_EQ(error_of(builder.input({.name = "z"})), "tensor 'z' needs a shape");
  EXPECT_EQ(error_of(builder.tensor({.name = "", .shape = Shape{1}})), "a tensor needs a name");
  EXPECT_EQ(error_of(builder.add(spec("x", Softmax(), {x}))), "two tensors are called 'x'");
  EXPECT_EQ(error_of(builder.add(spec("s", Softmax(), {}))), "needs an input");
  EXPECT_EQ(error_of(builder.add(spec("v", View{.function = "reshape"}, {x}, Shape{7}))),
            "a view of 1x6x4x4 cannot be 7");
  EXPECT_THAT(error_of(builder.add(spec("c", Conv{.in_channels = 6, .groups = 0}, {x}))), HasSubstr("groups is 0"));
  EXPECT_EQ(error_of(builder.find("xx")), "no tensor is called 'xx'; did you mean 'x'?");
}

TEST(Infer, FitsAConvolution) {
  Conv conv;
  conv.out_channels = 4;
  conv.axes[2].filter = 3;
  EXPECT_TRUE(fit(conv, {2, 6, 10}).has_value());
  EXPECT_EQ(conv.batch, 2);
  EXPECT_EQ(conv.in_channels, 6);
  EXPECT_EQ(conv.axes[1], ConvAxis());
  EXPECT_EQ(conv.axes[2].in, 10);
  EXPECT_EQ(infer_shape(conv, {{2, 6, 10}}).value(), (Shape{2, 4, 8}));
  EXPECT_THAT(error_of(fit(conv, {2, 6, 2})), HasSubstr("convolution width: a filter that spans 3 does not fit"));
  EXPECT_THAT(error_of(fit(conv, {2, 6})), HasSubstr("not 2x6"));
  EXPECT_THAT(error_of(fit(conv, {1, 1, 1, 1, 1, 1})), HasSubstr("one to three spatial dimensions"));
}

TEST(Infer, FitsAGemm) {
  Gemm layer{.n = 5};
  EXPECT_TRUE(fit(layer, {{2, 3, 4}}).has_value());
  EXPECT_EQ(layer, (Gemm{.m = 6, .n = 5, .k = 4}));
  Gemm batched{.trans_a = true, .trans_b = true};
  EXPECT_TRUE(fit(batched, {{7, 4, 3}, {7, 5, 4}}).has_value());
  EXPECT_EQ(batched, (Gemm{.batch = 7, .m = 3, .n = 5, .k = 4, .trans_a = true, .trans_b = true}));
  EXPECT_EQ(error_of(fit(layer, {{}})), "a GEMM needs a matrix, its input is a scalar");
  EXPECT_EQ(error_of(fit(layer, {})), "a GEMM needs an input");
  EXPECT_EQ(error_of(fit(batched, {{4}, {4}})), "4 has no last two dimensions to transpose");
}

TEST(Infer, ResolvesShapes) {
  EXPECT_EQ(resolve_shape({0, -1}, {2, 3, 4}).value(), (Shape{2, 12}));
  EXPECT_EQ(resolve_shape({5, 0}, {2, 3}).value(), (Shape{5, 3}));
  EXPECT_EQ(resolve_shape({}, {1}).value(), Shape());
  EXPECT_EQ(resolve_shape({-1}, {}).value(), (Shape{1}));
  EXPECT_EQ(error_of(resolve_shape({-1, -1}, {4})), "a shape can have one -1 only");
  EXPECT_EQ(error_of(resolve_shape({3, -1}, {4})), "4 elements do not fill the -1 of shape [3, -1]");
  EXPECT_EQ(error_of(resolve_shape({1, 0}, {4})), "0 at place 1 has no dimension of 4 to copy");
  const Shape huge(40, kMaxDimension);
  EXPECT_FALSE(resolve_shape({-1}, huge).has_value());
}

TEST(Infer, PoolsAndJoins) {
  std::array<ConvAxis, 3> window{};
  window[1] = window[2] = {.filter = 3, .stride = 2};
  EXPECT_EQ(pool_shape({1, 2, 8, 9}, window, false).value(), (Shape{1, 2, 3, 4}));
  EXPECT_EQ(pool_shape({1, 2, 8, 9}, window, true).value(), (Shape{1, 2, 4, 4}));
  EXPECT_THAT(error_of(pool_shape({1, 2, 2, 9}, window, false)), HasSubstr("window of 3 does not fit into 2"));
  window[1].stride = 0;
  EXPECT_THAT(error_of(pool_shape({1, 2, 8, 9}, window, false)), HasSubstr("out of range"));
  EXPECT_EQ(concat_shape({{1, 2, 3}, {1, 5, 3}}, 1).value(), (Shape{1, 7, 3}));
  EXPECT_EQ(concat_shape({{1, 2}, {1, 2}}, -1).value(), (Shape{1, 4}));
  EXPECT_EQ(error_of(concat_shape({{1, 2}, {2, 2}}, 1)), "shapes 1x2 and 2x2 do not join along axis 1");
  EXPECT_EQ(error_of(concat_shape({{1, 2}, {2}}, 1)), "shapes 1x2 and 2 do not join along axis 1");
  EXPECT_EQ(error_of(concat_shape({{1}}, 1)), "axis 1 is not one of 1");
  EXPECT_EQ(error_of(concat_shape({{}}, 0)), "axis 0 is not one of scalar");
  EXPECT_EQ(error_of(concat_shape({}, 0)), "nothing to join");
  EXPECT_THAT(error_of(concat_shape({{kMaxDimension}, {1}}, 0)), HasSubstr("too large"));
}

TEST(Infer, ImpliesWeights) {
  const auto shapes = [](const OpKind& kind, const Shape& input) {
    std::vector<Shape> result;
    for (const Tensor& weight : implied_weights(kind, "op", input, DType::fp32)) result.push_back(weight.shape);
    return result;
  };
  Conv grouped{.in_channels = 8, .out_channels = 4, .groups = 2, .bias = true};
  grouped.axes[2].filter = 3;
  EXPECT_THAT(shapes(grouped, {1, 8, 9}), ElementsAre(Shape{4, 4, 3}, Shape{4}));
  Conv transposed = grouped;
  transposed.transposed = true;
  EXPECT_THAT(shapes(transposed, {1, 8, 9}), ElementsAre(Shape{8, 2, 3}, Shape{4}));
  EXPECT_THAT(shapes(Normalize{}, {1, 8, 9}), ElementsAre(Shape{8}, Shape{8}, Shape{8}, Shape{8}));
  EXPECT_THAT(shapes(Normalize{.function = "layer"}, {1, 8, 9}), ElementsAre(Shape{9}, Shape{9}));
  EXPECT_THAT(shapes(Normalize{.function = "lrn"}, {1, 8, 9}), ElementsAre());
  EXPECT_THAT(shapes(Softmax(), {1, 8}), ElementsAre());
}

}  // namespace
}  // namespace rooftile
