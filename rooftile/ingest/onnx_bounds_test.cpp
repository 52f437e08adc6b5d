// Sizes that the data decide become those of the image, and a note says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TestModel resized(const Shape& image, const TestModel::Ints& front) {
  return TestModel()
      .input("image", image)
      .input("box", {2}, TestModel::kInt64)
      .ints("front", front)
      .node("Cast", {"box"}, {"size"}, {{"to", TestModel::kInt64}})
      .node("Concat", {"front", "size"}, {"sizes"}, {{"axis", 0}})
      .node("Resize", {"image", "", "", "sizes"}, {"y"})
      .output("y");
}

TEST(OnnxBounds, AResizeIsToTheImage) {
  const auto workload = loaded(resized({2, 3, 80, 120}, {2, 3}));
  EXPECT_EQ(shape_of(workload), (Shape{2, 3, 80, 120}));
  EXPECT_THAT(workload.notes, ElementsAre("Resize: a size that depends on the data is taken to be the image's"));
}

TEST(OnnxBounds, OtherDimensionsAreRefused) {
  EXPECT_THAT(error_of(resized({2, 3, 80, 120, 10}, {2})), HasSubstr("cannot be known before the network runs"));
  const auto text = TestModel()
                        .input("words", {5, 7}, TestModel::kInt64)
                        .input("size", {2}, TestModel::kInt64)
                        .node("Expand", {"words", "size"}, {"y"})
                        .output("y");
  EXPECT_THAT(error_of(text), HasSubstr("cannot be known before the network runs"));
}

TEST(OnnxBounds, ASliceIsOfTheWhole) {
  const auto workload = loaded(TestModel()
                                   .input("x", {8, 9, 10})
                                   .input("from", {3}, TestModel::kInt64)
                                   .input("to", {1}, TestModel::kInt64)
                                   .ints("known", {4, -1})
                                   .node("Concat", {"to", "known"}, {"ends"}, {{"axis", 0}})
                                   .node("Slice", {"x", "from", "ends"}, {"y"})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{8, 4, 10}));
  EXPECT_THAT(workload.notes, ElementsAre("Slice: ends that depend on the data are those of the whole"));
}

// As torchvision's Mask R-CNN pastes one mask after another, each at the size of its box, between rows of zeros.
TEST(OnnxBounds, MasksArePastedIntoTheImage) {
  const auto body = TestModel()
                        .input("i", {}, TestModel::kInt64)
                        .input("go_on", {}, TestModel::kBool)
                        .input("pasted", {0, 80, 120})
                        .node("Gather", {"boxes", "i"}, {"box"}, {{"axis", 0}})
                        .node("Slice", {"box", "zero", "one"}, {"above"})
                        .node("Slice", {"box", "one", "three"}, {"size"})
                        .node("Gather", {"masks", "i"}, {"mask"}, {{"axis", 0}})
                        .node("Unsqueeze", {"mask", "zero"}, {"planes"})
                        .node("Concat", {"one", "one", "size"}, {"sizes"}, {{"axis", 0}})
                        .node("Resize", {"planes", "", "", "sizes"}, {"wide"})
                        .node("Squeeze", {"wide", "front"}, {"plane"})
                        .node("Concat", {"above", "width"}, {"rows"}, {{"axis", 0}})
                        .node("ConstantOfShape", {"rows"}, {"zeros"})
                        .node("Concat", {"zeros", "plane"}, {"column"}, {{"axis", 0}})
                        .node("Slice", {"column", "zero", "height"}, {"whole"})
                        .node("Unsqueeze", {"whole", "zero"}, {"next"})
                        .node("Concat", {"pasted", "next"}, {"more"}, {{"axis", 0}})
                        .node("Identity", {"go_on"}, {"go_on_out"})
                        .output("go_on_out")
                        .output("more")
                        .body();
  const auto workload = loaded(TestModel()
                                   .input("image", {1, 3, 80, 120})
                                   .input("boxes", {4, 3}, TestModel::kInt64)
                                   .input("masks", {4, 1, 30, 30})
                                   .integer("count", 4)
                                   .ints("zero", {0})
                                   .ints("one", {1})
                                   .ints("three", {3})
                                   .ints("front", {0, 1})
                                   .ints("height", {80})
                                   .ints("width", {120})
                                   .ints("none", {0, 80, 120})
                                   .node("ConstantOfShape", {"none"}, {"start"})
                                   .node("Loop", {"count", "", "start"}, {"y"}, {{"body", body}})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{4, 80, 120}));
  EXPECT_THAT(workload.notes, Contains("Resize: a size that depends on the data is taken to be the image's (4 nodes)"));
}

}  // namespace
}  // namespace rooftile
