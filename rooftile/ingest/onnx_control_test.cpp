// Graphs within nodes, functions, sequences of tensors: what they hold takes their place.
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

constexpr auto kBool = TestModel::kBool;

std::vector<std::string> names_of(const Workload& workload) {
  std::vector<std::string> names;
  for (const Op& op : workload.ops) names.push_back(op.name);
  return names;
}

// torch.squeeze of a dimension whose size the exporter did not know: If(size == 1).
TEST(OnnxIf, TakesTheBranchOfAKnownCondition) {
  const auto with = [](std::int64_t size) {
    const auto squeezed = TestModel().ints("axes", {1}).node("Squeeze", {"x", "axes"}, {"s"}).output("s").body();
    const auto same = TestModel().node("Identity", {"x"}, {"i"}).output("i").body();
    return TestModel()
        .input("x", {2, size, 4})
        .ints("one", {1})
        .node("Shape", {"x"}, {"shape"})
        .node("Gather", {"shape", "one"}, {"dim"})
        .node("Equal", {"dim", "one"}, {"is_one"})
        .node("If", {"is_one"}, {"t"}, {{"then_branch", squeezed}, {"else_branch", same}})
        .node("Relu", {"t"}, {"y"})
        .output("y");
  };
  EXPECT_EQ(shape_of(loaded(with(1))), (Shape{2, 4}));
  EXPECT_EQ(shape_of(loaded(with(3))), (Shape{2, 3, 4}));
  EXPECT_THAT(loaded(with(1)).notes, IsEmpty());
}

TEST(OnnxIf, TakesTheLongerBranchWhereDataDecide) {
  const auto short_one = TestModel().node("Abs", {"x"}, {"a"}).output("a").body();
  const auto long_one = TestModel().node("Exp", {"x"}, {"b"}).node("Neg", {"b"}, {"c"}).output("c").body();
  const auto workload =
      loaded(TestModel()
                 .input("x", {2, 4})
                 .input("chosen", {1}, kBool)
                 .node("If", {"chosen"}, {"y"}, {{"then_branch", short_one}, {"else_branch", long_one}})
                 .output("y"));
  EXPECT_THAT(names_of(workload), ElementsAre("b", "c"));
  EXPECT_THAT(workload.notes, ElementsAre("If: the condition depends on the data, and the longer branch is taken"));
}

TestModel::Body counting_body() {
  return TestModel()
      .input("i", {}, TestModel::kInt64)
      .input("go_on", {}, kBool)
      .input("carried", {2, 4})
      .weight("w", {4, 4})
      .node("MatMul", {"carried", "w"}, {"next"})
      .node("Identity", {"go_on"}, {"go_on_out"})
      .output("go_on_out")
      .output("next")
      .output("next")
      .body();
}

TestModel looped(std::int64_t times) {
  return TestModel()
      .input("x", {2, 4})
      .integer("times", times)
      .node("Loop", {"times", "", "x"}, {"last", "all"}, {{"body", counting_body()}})
      .output("last")
      .output("all");
}

TEST(OnnxLoop, RunsAsOftenAsItSays) {
  const auto workload = loaded(looped(3));
  EXPECT_THAT(names_of(workload), ElementsAre("next", "next_2", "next_3", "last"));
  EXPECT_EQ(workload.tensors[workload.outputs[1]].shape, (Shape{3, 2, 4}));
  const TensorId weight = workload.ops[0].inputs[1];
  EXPECT_EQ(workload.ops[2].inputs[1], weight);  // one weight for all runs
  EXPECT_THAT(workload.notes, IsEmpty());
}

// while i < 4, with shapes that grow from run to run.
TEST(OnnxLoop, EndsWhereItsConditionDoes) {
  const auto body = TestModel()
                        .input("i", {}, TestModel::kInt64)
                        .input("go_on", {}, kBool)
                        .input("grown", {1, 2})
                        .integer("most", 3)
                        .node("Concat", {"grown", "x"}, {"longer"}, {{"axis", 0}})
                        .node("Less", {"i", "most"}, {"go_on_out"})
                        .output("go_on_out")
                        .output("longer")
                        .body();
  const auto workload = loaded(TestModel()
                                   .input("x", {1, 2})
                                   .integer("times", INT64_MAX)
                                   .node("Loop", {"times", "", "x"}, {"y"}, {{"body", body}})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{5, 2}));
}

TEST(OnnxLoop, ThatNeverEndsIsRefused) {
  EXPECT_EQ(error_of(looped(std::int64_t{1} << 60)),
            "m.onnx: node 'last' (Loop): runs 1152921504606846976 times, more than 4096");
  EXPECT_THAT(error_of(looped(0)), HasSubstr("node 'last' (Loop): never runs, and its results are asked for"));
  const TestModel data = TestModel()
                             .input("x", {2, 4})
                             .input("times", {}, TestModel::kInt64)
                             .node("Loop", {"times", "", "x"}, {"y", "all"}, {{"body", counting_body()}})
                             .output("y");
  EXPECT_EQ(error_of(data),
            "m.onnx: node 'y' (Loop): how often it runs depends on the data; export it for a fixed number");
}

TEST(OnnxLoop, ManyLoopsInLoopsAreRefusedQuickly) {
  TestModel::Body body = counting_body();
  for (int depth = 0; depth < 6; ++depth) {
    body = TestModel()
               .input("i", {}, TestModel::kInt64)
               .input("go_on", {}, kBool)
               .input("carried", {2, 4})
               .integer("times", 1000)
               .node("Loop", {"times", "", "carried"}, {"last", "all"}, {{"body", body}})
               .node("Identity", {"go_on"}, {"go_on_out"})
               .output("go_on_out")
               .output("last")
               .output("last")
               .body();
  }
  const TestModel model = TestModel()
                              .input("x", {2, 4})
                              .integer("many", 1000)
                              .node("Loop", {"many", "", "x"}, {"y"}, {{"body", body}})
                              .output("y");
  EXPECT_THAT(error_of(model), HasSubstr("with its graphs in place there are more than 100000 operators"));
}

TEST(OnnxScan, RunsOverThePositionsOfASequence) {
  const auto body = TestModel()
                        .input("state", {2, 8})
                        .input("part", {2, 8})
                        .node("Add", {"state", "part"}, {"sum"})
                        .node("Tanh", {"sum"}, {"out"})
                        .output("sum")
                        .output("out")
                        .body();
  const auto workload = loaded(
      TestModel()
          .input("start", {2, 8})
          .input("x", {2, 3, 8})
          .node("Scan", {"start", "x"}, {"", "y"},
                {{"body", body}, {"num_scan_inputs", 1}, {"scan_input_axes", Ints{1}}, {"scan_output_axes", Ints{1}}})
          .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{2, 3, 8}));
  EXPECT_EQ(workload.ops.size(), 3u * 3u + 1u);
}

TEST(OnnxSequence, PartsAreTakenApartAndJoined) {
  const auto workload = loaded(TestModel()
                                   .input("x", {6, 4})
                                   .ints("sizes", {1, 2, 3})
                                   .integer("last", -1)
                                   .node("SplitToSequence", {"x", "sizes"}, {"parts"})
                                   .node("SequenceAt", {"parts", "last"}, {"part"})
                                   .node("SequenceInsert", {"parts", "part"}, {"more"})
                                   .node("ConcatFromSequence", {"more"}, {"y"}, {{"axis", 0}})
                                   .output("y"));
  EXPECT_EQ(shape_of(workload), (Shape{9, 4}));
  EXPECT_THAT(error_of(TestModel().input("x", {6, 4}).node("SplitToSequence", {"x"}, {"y"}).output("y")),
              HasSubstr("output 'y' is a sequence of tensors"));
  EXPECT_THAT(
      error_of(
          TestModel().input("x", {6}).node("SequenceConstruct", {"x"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y")),
      HasSubstr("node 'y' (Relu): takes a sequence of tensors"));
}

TEST(OnnxFunction, TakesThePlaceOfItsCalls) {
  const TestModel scaled = TestModel()
                               .input("a", {})
                               .node("Softmax", {"a"}, {"b"}, {{"axis", TestModel::Reference{"axis"}}})
                               .node("Relu", {"b"}, {"c"})
                               .output("c");
  const auto workload = loaded(TestModel()
                                   .input("x", {2, 4})
                                   .node("Scaled", {"x"}, {"t"}, {{"axis", 1}})
                                   .domain_node("mine")
                                   .name_node("first")
                                   .node("Scaled", {"t"}, {"y"}, {{"axis", 0}})
                                   .domain_node("mine")
                                   .name_node("second")
                                   .output("y")
                                   .function("mine", "Scaled", scaled));
  EXPECT_THAT(names_of(workload), ElementsAre("first/b", "first/c", "second/b", "second/c"));
  EXPECT_EQ(workload.tensors[workload.outputs[0]].name, "y");
}

TEST(OnnxFunction, MayCallOthersAndPassOnWhatItTakes) {
  const TestModel inner = TestModel().input("a", {}).input("b", {}).node("Exp", {"a"}, {"e"}).output("e").output("b");
  const TestModel outer = TestModel()
                              .input("a", {})
                              .node("Inner", {"a", "a"}, {"p", "q"})
                              .domain_node("f")
                              .node("Add", {"p", "q"}, {"r"})
                              .output("r");
  const auto workload = loaded(TestModel()
                                   .input("x", {2, 4})
                                   .node("Outer", {"x"}, {"y"})
                                   .domain_node("f")
                                   .output("y")
                                   .function("f", "Inner", inner)
                                   .function("f", "Outer", outer));
  EXPECT_EQ(shape_of(workload), (Shape{2, 4}));
}

TEST(OnnxFunction, CyclesAndAvalanchesAreRefused) {
  const auto calls = [](const std::string& called, int times) {
    TestModel body;
    body.input("a0", {});
    for (int i = 0; i < times; ++i) {
      body.node(called, {"a" + std::to_string(i)}, {"a" + std::to_string(i + 1)}).domain_node("f");
    }
    return body.output("a" + std::to_string(times));
  };
  const TestModel model = TestModel().input("x", {2}).node("A", {"x"}, {"y"}).domain_node("f").output("y");
  EXPECT_THAT(error_of(TestModel(model).function("f", "A", calls("B", 1)).function("f", "B", calls("A", 1))),
              HasSubstr("the function calls itself"));
  TestModel doubling = model;
  doubling.function("f", "A", calls("f0", 1));
  for (int i = 0; i < 60; ++i) doubling.function("f", "f" + std::to_string(i), calls("f" + std::to_string(i + 1), 2));
  doubling.function("f", "f60", TestModel().input("a", {}).node("Relu", {"a"}, {"b"}).output("b"));
  EXPECT_THAT(error_of(doubling), HasSubstr("with functions in place there are more than 100000 operators"));
}

TEST(OnnxBody, ThatDoesNotFitIsRefused) {
  const auto branch = TestModel().node("Abs", {"x"}, {"a"}).output("a").body();
  const TestModel one =
      TestModel().input("x", {2}).input("c", {}, kBool).node("If", {"c"}, {"y"}, {{"then_branch", branch}}).output("y");
  EXPECT_EQ(error_of(one), "m.onnx: node 'y' (If): does not have two branches");
  const TestModel arguments = TestModel()
                                  .input("x", {2, 4})
                                  .integer("n", 2)
                                  .node("Loop", {"n", "", "x", "x"}, {"y"}, {{"body", counting_body()}})
                                  .output("y");
  EXPECT_EQ(error_of(arguments), "m.onnx: node 'y' (Loop): its body does not fit its operands");
  const auto unknown = TestModel().node("Abs", {"nowhere"}, {"a"}).output("a").body();
  const TestModel missing = TestModel()
                                .input("x", {2})
                                .input("c", {}, kBool)
                                .node("If", {"c"}, {"y"}, {{"then_branch", unknown}, {"else_branch", unknown}})
                                .output("y");
  EXPECT_EQ(error_of(missing), "m.onnx: node 'a' (Abs): reads 'nowhere', which nothing before it computes");
}

TEST(OnnxBody, UnsupportedOperatorsInsideAreListed) {
  const auto branch = TestModel().node("StringConcat", {"x"}, {"a"}).name_node("inside").output("a").body();
  const auto found =
      parse_unsupported_operators(TestModel()
                                      .input("x", {2})
                                      .input("c", {}, kBool)
                                      .node("If", {"c"}, {"y"}, {{"then_branch", branch}, {"else_branch", branch}})
                                      .output("y")
                                      .bytes(),
                                  "m.onnx");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front(), (Skipped{"inside", "StringConcat"}));
}

}  // namespace
}  // namespace rooftile
