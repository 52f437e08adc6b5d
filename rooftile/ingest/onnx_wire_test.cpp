#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/ingest/onnx.hpp"
#include "rooftile/ingest/onnx_test_model.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using testing::Not;

// One field: its number (below 16), wire type 2, its content.
std::string field(int number, const std::string& content) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  std::size_t length = content.size();
  for (; length >= 128; length >>= 7) text.push_back(static_cast<char>(length | 0x80));
  text.push_back(static_cast<char>(length));
  return text + content;
}

std::string strip_error(const std::string& bytes) {
  const auto result = strip_weights(bytes, "x.onnx");
  return result ? "no error" : result.error().text();
}

TestModel convolution() {
  return TestModel()
      .input("x", {TestModel::kBatch, 16, 32, 32})
      .payload("w", {64, 16, 3, 3})
      .payload("b", {64})
      .node("Conv", {"x", "w", "b"}, {"y"}, {{"pads", TestModel::Ints{1, 1, 1, 1}}})
      .ints("target", {0, -1})
      .node("Reshape", {"y", "target"}, {"z"})
      .output("z");
}

TEST(StripWeights, DropsLargePayloadsAndKeepsSmallOnes) {
  const std::string whole = convolution().bytes();
  const auto stripped = strip_weights(whole, "x.onnx");
  ASSERT_TRUE(stripped) << stripped.error().text();
  const std::size_t large = 4 * 64 * 16 * 3 * 3;
  EXPECT_LT(stripped->size(), whole.size() - large);
  EXPECT_GT(stripped->size(), whole.size() - large - 32);  // b, 256 bytes, is still there
  EXPECT_EQ(strip_weights(*stripped, "x.onnx"), *stripped);
}

TEST(StripWeights, LeavesTheSameWorkload) {
  const std::string whole = convolution().bytes();
  const auto stripped = strip_weights(whole, "x.onnx");
  ASSERT_TRUE(stripped);
  const auto from_whole = parse_onnx(whole, "m", "x.onnx", {.batch_size = 8, .skip_unsupported = false});
  const auto from_stripped = parse_onnx(*stripped, "m", "x.onnx", {.batch_size = 8, .skip_unsupported = false});
  ASSERT_TRUE(from_whole) << from_whole.error().text();
  EXPECT_EQ(*from_whole, *from_stripped);
  EXPECT_EQ(from_whole->tensors[from_whole->outputs[0]].shape, (Shape{8, 64 * 32 * 32}));
}

TEST(StripWeights, ForgetsWhereExternalDataIs) {
  const std::string bytes = TestModel().external("w", {8}, "/etc/passwd").bytes();
  ASSERT_THAT(bytes, HasSubstr("/etc/passwd"));
  const auto stripped = strip_weights(bytes, "x.onnx");
  ASSERT_TRUE(stripped);
  EXPECT_THAT(*stripped, Not(HasSubstr("passwd")));
}

TEST(StripWeights, ReachesTensorsInNodesAndNestedGraphs) {
  const std::string tensor = field(9, std::string(1100, 'w'));                  // raw_data
  const std::string in_node = field(1, field(5, field(5, tensor)));             // node.attribute.t
  const std::string in_graph = field(1, field(5, field(6, field(5, tensor))));  // node.attribute.g.initializer
  const std::string sparse = field(15, field(1, tensor));                       // sparse_initializer.values
  for (const std::string& graph : {in_node, in_graph, sparse}) {
    const auto stripped = strip_weights(field(7, graph), "x.onnx");
    ASSERT_TRUE(stripped) << stripped.error().text();
    EXPECT_LT(stripped->size(), 20u);
  }
}

TEST(StripWeights, CountsThePayloadOfATensorAsAWhole) {
  std::string tensor;
  for (int i = 0; i < 11; ++i) tensor += field(9, std::string(100, 'w'));  // 1100 bytes in 11 pieces
  const auto stripped = strip_weights(field(7, field(5, tensor)), "x.onnx");
  ASSERT_TRUE(stripped);
  EXPECT_LT(stripped->size(), 20u);
}

TEST(StripWeights, SaysAtWhichByteItStopsMakingSense) {
  EXPECT_EQ(strip_error("\x3a"), "x.onnx: byte 1: the file ends within a number; is this a complete ONNX file?");
  EXPECT_THAT(strip_error("\x3a\x05xx"), HasSubstr("byte 0: field 7 claims 5 bytes where 2 are left"));
  EXPECT_THAT(strip_error(field(7, "\x2a\x7f")), HasSubstr("byte 2: field 5 claims 127 bytes where 0 are left"));
  EXPECT_THAT(strip_error(std::string(11, '\xff')), HasSubstr("byte 0: a number of more than 64 bits"));
  EXPECT_THAT(strip_error(std::string(2, '\0')), HasSubstr("byte 0: 0 is not a valid protobuf field"));
  EXPECT_THAT(strip_error("\x08\x01\x3b"), HasSubstr("byte 2: field 7 has the unknown wire type 3"));
  EXPECT_THAT(strip_error("\x09"
                          "1234567"),
              HasSubstr("byte 0: field 1 claims 8 bytes where 7 are left"));
}

TEST(StripWeights, EveryTruncationIsAnErrorOrAShorterModel) {
  const std::string whole = TestModel().input("x", {1, 3}).node("Relu", {"x"}, {"y"}).output("y").bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto workload = parse_onnx(whole.substr(0, size), "m", "x.onnx");
    ASSERT_FALSE(workload) << size;
    EXPECT_THAT(workload.error().text(), Not(HasSubstr("\n")));
  }
}

TEST(StripWeights, BoundsTheNesting) {
  const auto nested = [](int levels) {  // a graph in an attribute of a node of a graph in …
    std::string graph;
    for (int i = 0; i < levels; ++i) graph = field(1, field(5, field(6, graph)));
    return field(7, graph);
  };
  EXPECT_EQ(strip_error(nested(10)), "no error");
  EXPECT_THAT(strip_error(nested(1000)), HasSubstr("messages are nested more than 64 deep"));
}

TEST(StripWeights, BoundsTheMessages) {
  std::string nodes;
  for (int i = 0; i < 1 << 20; ++i) nodes += field(1, "");  // 2 bytes here, 150 as a NodeProto
  EXPECT_THAT(strip_error(field(7, nodes)), HasSubstr("more than 1048576 messages"));
}

}  // namespace
}  // namespace rooftile
