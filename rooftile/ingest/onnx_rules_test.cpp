// Operators whose results the data size: the most that can come out stands for what does, and a note says so.
#include "rooftile/ingest/onnx_rules.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ints = TestModel::Ints;

TEST(OnnxBound, WhatIsNotZero) {
  const auto workload = loaded(TestModel()
                                   .input("x", {4, 5})
                                   .node("NonZero", {"x"}, {"a"})
                                   .node("Transpose", {"a"}, {"t"})
                                   .node("NonZero", {"t"}, {"y"})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{2, 40}));
  EXPECT_THAT(workload.notes, ElementsAre("NonZero: every element is taken for not zero (2 nodes)"));
  const auto known = loaded(TestModel()
                                .input("x", {4, 5})
                                .ints("mask", {0, 1, 0, 1})
                                .node("NonZero", {"mask"}, {"places"})
                                .ints("shape", {-1})
                                .node("Reshape", {"places", "shape"}, {"flat"})
                                .node("Gather", {"x", "flat"}, {"y"})
                                .output("y"));
  EXPECT_EQ(shape_of(known), (Shape{2, 5}));
  EXPECT_THAT(known.notes, IsEmpty());
}

TEST(OnnxBound, BoxesThatAreKept) {
  const auto with = [](std::int64_t most) {
    return TestModel()
        .input("boxes", {2, 100, 4})
        .input("scores", {2, 3, 100})
        .integer("most", most)
        .node("NonMaxSuppression", {"boxes", "scores", "most"}, {"y"})
        .output("y");
  };
  const auto workload = loaded(with(10));
  EXPECT_EQ(shape_of(workload), (Shape{60, 3}));
  // 2 x 3 x 100 x 100 / 2 pairs at 15 operations each, over 180 results.
  EXPECT_EQ(workload.ops[0].kind, OpKind(Elementwise{"non_max_suppression", 2500}));
  EXPECT_THAT(workload.notes, ElementsAre("NonMaxSuppression: as many boxes are kept as may be"));
  EXPECT_EQ(shape_of(loaded(with(INT64_MAX))), (Shape{600, 3}));
  EXPECT_THAT(error_of(with(0)), HasSubstr("keeps 0 boxes of a class"));
}

TEST(OnnxBound, LargestElements) {
  const auto known = loaded(TestModel()
                                .input("x", {4, 50})
                                .ints("k", {7})
                                .node("TopK", {"x", "k"}, {"y", "at"}, {{"axis", -1}})
                                .output("y")
                                .output("at"));
  EXPECT_EQ(shape_of(known), (Shape{4, 7}));
  EXPECT_EQ(known.tensors[known.outputs[1]].dtype, DType::int64);
  const auto open = loaded(TestModel()
                               .input("x", {4, 50})
                               .input("k", {1}, TestModel::kInt64)
                               .node("TopK", {"x", "k"}, {"y", "at"})
                               .output("y"));
  EXPECT_EQ(shape_of(open), (Shape{4, 50}));
  EXPECT_THAT(open.notes, ElementsAre("TopK: all elements are kept"));
  EXPECT_THAT(error_of(TestModel().input("x", {4}).ints("k", {9}).node("TopK", {"x", "k"}, {"y", "at"}).output("y")),
              HasSubstr("its k is 9, not between 1 and 4"));
}

TEST(OnnxRule, Sampling) {
  const auto grid = loaded(
      TestModel().input("x", {2, 3, 8, 8}).input("g", {2, 5, 6, 2}).node("GridSample", {"x", "g"}, {"y"}).output("y"));
  EXPECT_EQ(shape_of(grid), (Shape{2, 3, 5, 6}));
  EXPECT_EQ(grid.ops[0].kind, OpKind(Elementwise{"grid_sample", 11}));
  const auto boxes = loaded(
      TestModel()
          .input("x", {2, 3, 8, 8})
          .input("r", {100, 4})
          .input("at", {100}, TestModel::kInt64)
          .node("RoiAlign", {"x", "r", "at"}, {"y"}, {{"output_height", 7}, {"output_width", 7}, {"sampling_ratio", 2}})
          .output("y"));
  EXPECT_EQ(shape_of(boxes), (Shape{100, 3, 7, 7}));
}

TEST(OnnxRule, OneOfMany) {
  const auto with = [](std::int64_t depth) {
    return TestModel()
        .input("i", {2, 3}, TestModel::kInt64)
        .integer("depth", depth)
        .floats("values", {0, 1})
        .node("OneHot", {"i", "depth", "values"}, {"y"}, {{"axis", 1}})
        .output("y");
  };
  EXPECT_EQ(shape_of(loaded(with(10))), (Shape{2, 10, 3}));
  EXPECT_THAT(error_of(with(-1)), HasSubstr("'y' has the dimension -1"));
}

// What torchvision's detectors do to the boxes of one class: those above a threshold, the best of them, no overlaps.
TEST(OnnxBound, BoxesOfADetector) {
  const auto workload = loaded(TestModel()
                                   .input("scores", {2000})
                                   .input("boxes", {2000, 4})
                                   .number("threshold", 0.05)
                                   .ints("zero", {0})
                                   .ints("one", {1})
                                   .ints("two", {2})
                                   .ints("most", {300})
                                   .integer("per_class", 100)
                                   .integer("column", 2)
                                   .node("Greater", {"scores", "threshold"}, {"above"})
                                   .node("NonZero", {"above"}, {"places"})
                                   .node("Squeeze", {"places", "zero"}, {"at"})
                                   .node("Gather", {"scores", "at"}, {"good"})
                                   .node("Gather", {"boxes", "at"}, {"good_boxes"})
                                   .node("Shape", {"good"}, {"count"})
                                   .node("Concat", {"most", "count"}, {"both"}, {{"axis", 0}})
                                   .node("ReduceMin", {"both"}, {"k"}, {{"keepdims", 1}})
                                   .node("TopK", {"good", "k"}, {"best", "order"})
                                   .node("Gather", {"good_boxes", "order"}, {"best_boxes"})
                                   .node("Unsqueeze", {"best_boxes", "zero"}, {"b"})
                                   .ints("both_axes", {0, 1})
                                   .node("Unsqueeze", {"best", "both_axes"}, {"s"})
                                   .node("NonMaxSuppression", {"b", "s", "per_class"}, {"chosen"})
                                   .node("Gather", {"chosen", "column"}, {"kept"}, {{"axis", 1}})
                                   .node("Gather", {"best_boxes", "kept"}, {"y"})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{100, 4}));
  EXPECT_THAT(workload.notes, ElementsAre("NonMaxSuppression: as many boxes are kept as may be",
                                          "NonZero: every element is taken for not zero"));
}

// F.pad as PyTorch exports it for any size: the pairs, last axis first, are turned around, transposed and flattened.
TEST(OnnxComputedPadding, OfADynamicExport) {
  const auto workload = loaded(TestModel()
                                   .input("x", {2, 3, 10, 12})
                                   .ints("width", {2, 5})
                                   .ints("height", {1, 4})
                                   .ints("four", {4})
                                   .ints("pairs", {-1, 2})
                                   .ints("start", {-1})
                                   .ints("end", {-9223372036854775807})
                                   .ints("zero", {0})
                                   .ints("flat", {-1})
                                   .node("ConstantOfShape", {"four"}, {"f"})
                                   .node("Cast", {"f"}, {"rest"}, {{"to", 7}})
                                   .node("Concat", {"width", "height", "rest"}, {"list"}, {{"axis", 0}})
                                   .node("Reshape", {"list", "pairs"}, {"by_axis"})
                                   .node("Slice", {"by_axis", "start", "end", "zero", "start"}, {"turned"})
                                   .node("Transpose", {"turned"}, {"ends"}, {{"perm", Ints{1, 0}}})
                                   .node("Reshape", {"ends", "flat"}, {"pads"})
                                   .node("Pad", {"x", "pads"}, {"y"})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{2, 3, 15, 19}));
  EXPECT_EQ(workload.ops.size(), 1u);
}

// torch.nn.functional.interpolate to the size of another map.
TEST(OnnxComputedSizes, OfADynamicResize) {
  const auto workload = loaded(TestModel()
                                   .input("x", {2, 3, 10, 12})
                                   .input("other", {2, 8, 33, 47})
                                   .ints("two", {2})
                                   .ints("four", {4})
                                   .ints("zero", {0})
                                   .floats("none", {})
                                   .node("Shape", {"other"}, {"os"})
                                   .node("Slice", {"os", "two", "four", "zero"}, {"size"})
                                   .node("Shape", {"x"}, {"xs"})
                                   .node("Slice", {"xs", "zero", "two", "zero"}, {"front"})
                                   .node("Concat", {"front", "size"}, {"sizes"}, {{"axis", 0}})
                                   .node("Resize", {"x", "none", "none", "sizes"}, {"y"}, {{"mode", "linear"}})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{2, 3, 33, 47}));
}

TEST(OnnxComputedSizes, ScalesThatAreNoNumbersAreRefused) {
  const auto with = [](double scale) {
    return error_of(TestModel()
                        .input("x", {1, 1, 8, 8})
                        .floats("none", {})
                        .floats("s", {1, 1, scale, scale})
                        .node("Resize", {"x", "none", "s"}, {"y"})
                        .output("y"));
  };
  EXPECT_EQ(with(std::nan("")), "m.onnx: node 'y' (Resize): scales by nan");
  EXPECT_THAT(with(-2), HasSubstr("scales by -2"));
  EXPECT_THAT(with(1e300), HasSubstr("scales by inf"));
}

}  // namespace
}  // namespace rooftile
