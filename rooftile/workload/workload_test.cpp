#include "rooftile/workload/workload.hpp"

#include <string>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

// x -> relu -> y
Workload small() {
  Workload workload;
  workload.name = "small";
  workload.batch_size = 2;
  workload.tensors = {{"x", {2, 3}}, {"y", {2, 3}}};
  workload.ops = {{"relu1", Elementwise{"relu", 1}, {0}, {1}}};
  workload.inputs = {0};
  workload.outputs = {1};
  return workload;
}

std::string error_of(const Workload& workload) {
  const auto result = validate(workload);
  return result ? "no error" : result.error().text();
}

TEST(Shape, Prints) {
  EXPECT_EQ(print(Shape{256, 3, 224, 224}), "256x3x224x224");
  EXPECT_EQ(print(Shape{}), "scalar");
}

TEST(DTypes, NamesAndSizes) {
  EXPECT_EQ(parse_dtype("fp32"), DType::fp32);
  EXPECT_EQ(parse_dtype("half"), DType::fp16);
  EXPECT_EQ(parse_dtype("bfloat16"), DType::bf16);
  EXPECT_EQ(parse_dtype("float64x"), std::nullopt);
  EXPECT_EQ(size_of(DType::tf32), Bytes(4));
  EXPECT_EQ(size_of(DType::fp8), Bytes(1));
  EXPECT_EQ(size_of(DType::boolean), Bytes(1));
  EXPECT_EQ(name_of(DType::int64), "int64");
  EXPECT_EQ(size_of(Tensor{"x", {3, 5}, DType::fp16}), Bytes(30));
}

TEST(Validate, AcceptsASmallNetwork) { EXPECT_EQ(error_of(small()), "no error"); }

TEST(Validate, Tensors) {
  Workload workload = small();
  workload.tensors[0].shape = {2, 0};
  EXPECT_EQ(error_of(workload), "tensor 'x': dimension 0 is not between 1 and 2147483648");
  workload.tensors[0].shape = {2, -3};
  EXPECT_EQ(error_of(workload), "tensor 'x': dimension -3 is not between 1 and 2147483648");
  workload.tensors[0].shape = {1 << 30, 1 << 30};
  EXPECT_EQ(error_of(workload), "tensor 'x': 1073741824x1073741824 elements are more than 1.41e+14");
}

TEST(Validate, TensorNames) {
  Workload workload = small();
  workload.tensors[1].name = "x";
  EXPECT_EQ(error_of(workload), "tensor 'x': two tensors have this name");
  workload.tensors[1].name = "";
  EXPECT_EQ(error_of(workload), "small: a tensor has no name");
}

TEST(Validate, AViewKeepsItsElements) {
  Workload workload = small();
  workload.ops[0].kind = View{"reshape"};
  EXPECT_EQ(error_of(workload), "no error");
  workload.tensors[1].shape = {7};
  EXPECT_EQ(error_of(workload), "layer 'relu1': a view has as many elements as its input");
}

TEST(Validate, Graph) {
  Workload workload = small();
  workload.ops[0].inputs = {7};
  EXPECT_EQ(error_of(workload), "layer 'relu1': an input names no tensor");
  workload = small();
  workload.inputs = {};
  EXPECT_EQ(error_of(workload), "layer 'relu1': needs 'x', which nothing before it produces");
  workload = small();
  workload.ops.push_back({"relu2", Elementwise{"relu", 1}, {0}, {1}});
  EXPECT_EQ(error_of(workload), "layer 'relu2': 'y' is produced twice");
  workload.ops.back().name = "relu1";
  EXPECT_EQ(error_of(workload), "layer 'relu1': two layers have this name");
  workload = small();
  workload.ops[0].outputs = {};
  EXPECT_EQ(error_of(workload), "layer 'relu1': has no output");
  workload = small();
  workload.outputs = {0, 9};
  EXPECT_EQ(error_of(workload), "small: an output is never produced");
  workload = small();
  workload.batch_size = 0;
  EXPECT_EQ(error_of(workload), "small: batch size 0 is not between 1 and 2147483648");
}

TEST(Validate, KindsFitTheirTensors) {
  Workload workload = small();
  Conv conv;
  conv.batch = 2;
  conv.in_channels = 3;
  conv.out_channels = 5;
  workload.tensors[1].shape = {2, 5};
  workload.ops[0].kind = conv;
  EXPECT_EQ(error_of(workload), "no error");
  conv.out_channels = 6;
  workload.ops[0].kind = conv;
  EXPECT_EQ(error_of(workload),
            "layer 'relu1': convolution from 6 to 12 elements does not fit its tensors 2x3 and 2x5");
  workload.ops[0].kind = Gemm{.batch = 1, .m = 2, .n = 5, .k = 3};
  EXPECT_EQ(error_of(workload), "no error");
  workload.ops[0].kind = Gemm{.batch = 1, .m = 2, .n = 4, .k = 3};
  EXPECT_EQ(error_of(workload), "layer 'relu1': GEMM does not fit its output tensor");
  workload.ops[0].kind = Gemm{.batch = 1, .m = 2, .n = 5, .k = 0};
  EXPECT_EQ(error_of(workload), "layer 'relu1': GEMM dimension 0 is out of range");
  workload.ops[0].kind = Gemm{.batch = 1, .m = 2, .n = 5, .k = 4};
  EXPECT_EQ(error_of(workload), "layer 'relu1': GEMM with 1 matrices of 2x4 does not fit its input tensor 2x3");
  workload.ops[0].kind = Pool{"max", 0};
  EXPECT_EQ(error_of(workload), "layer 'relu1': pooling window is out of range");
}

// Operands may be there once, once for each product of the batch, or broadcast in part.
TEST(Validate, GemmOperands) {
  const auto with = [](const Shape& a, const Shape& b) {
    Workload workload;
    workload.name = "gemm";
    workload.tensors = {{"a", a}, {"b", b, DType::fp32, true}, {"c", {6, 2, 5}}};
    workload.ops = {{"g", Gemm{.batch = 6, .m = 2, .n = 5, .k = 3}, {0, 1}, {2}}};
    workload.inputs = {0};
    workload.outputs = {2};
    return error_of(workload);
  };
  EXPECT_EQ(with({6, 2, 3}, {6, 3, 5}), "no error");
  EXPECT_EQ(with({2, 1, 2, 3}, {3, 3, 5}), "no error");
  EXPECT_EQ(with({3, 2}, {5, 3}), "no error");
  EXPECT_EQ(with({6, 2, 4}, {3, 5}), "layer 'g': GEMM with 6 matrices of 2x3 does not fit its input tensor 6x2x4");
  EXPECT_EQ(with({7, 2, 3}, {3, 5}), "layer 'g': GEMM with 6 matrices of 2x3 does not fit its input tensor 7x2x3");
  EXPECT_EQ(with({2, 3}, {3, 4}), "layer 'g': GEMM with 6 matrices of 3x5 does not fit its input tensor 3x4");
  EXPECT_EQ(with({2, 3}, {7, 3, 5}), "layer 'g': GEMM with 6 matrices of 3x5 does not fit its input tensor 7x3x5");
  Workload none = small();
  none.tensors[1].constant = false;
  none.ops[0] = {"g", Gemm{.m = 2, .n = 3, .k = 1}, {}, {1}};
  EXPECT_EQ(error_of(none), "layer 'g': GEMM has no input");
}

TEST(Validate, QuotesLittleOfALongName) {
  Workload workload = small();
  workload.ops[0].name = "a\n" + std::string(1 << 20, 'z');
  workload.ops[0].outputs = {};
  EXPECT_EQ(error_of(workload), "layer 'a?" + std::string(191, 'z') + "…: has no output");
}

TEST(StoredPrecision, IsThatOfMostWeightsInSixteenBits) {
  const auto of = [](DType large, DType small) {
    Workload workload;
    workload.tensors = {{.name = "x", .shape = {1000, 1000}, .dtype = DType::fp16},
                        {.name = "w", .shape = {64, 64}, .dtype = large, .constant = true},
                        {.name = "b", .shape = {64}, .dtype = small, .constant = true}};
    return stored_precision(workload);
  };
  EXPECT_EQ(of(DType::fp16, DType::fp32), DType::fp16);
  EXPECT_EQ(of(DType::bf16, DType::bf16), DType::bf16);
  EXPECT_EQ(of(DType::fp32, DType::fp16), std::nullopt);
  EXPECT_EQ(of(DType::int8, DType::fp32), std::nullopt);
  EXPECT_EQ(stored_precision(Workload()), std::nullopt);
}

}  // namespace
}  // namespace rooftile
