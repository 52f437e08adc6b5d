#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/profile/counters.hpp"
#include "rooftile/profile/profile.hpp"

namespace rooftile::profile {
namespace {

using ::testing::HasSubstr;

std::string varint(std::size_t value) {
  std::string bytes;
  for (; value >= 128; value /= 128) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}
std::string delimited(const std::string& message) { return varint(message.size()) + message; }
std::string field(std::size_t number, const std::string& bytes) { return varint(number * 8 + 2) + delimited(bytes); }
std::string field(std::size_t number, std::size_t value) { return varint(number * 8) + varint(value); }
std::string attribute(const std::string& name, std::size_t type, std::size_t value) {
  return field(10, field(1, name) + field(type, value));
}
std::string node(std::size_t id, const std::string& name, std::size_t type, std::size_t time,
                 const std::string& more = "") {
  return delimited(field(1, id) + field(2, name) + field(3, type) + field(6, std::size_t{10}) + field(7, time) + more);
}

const std::string kHead = delimited(field(1, std::string("0.0.4")));

TEST(Chakra, NodesThatComputeAreKernelsWithTheirCounts) {
  const std::string counts = attribute("num_ops", 9, 100) + attribute("tensor_size", 13, 50);
  const auto read = read_profile(kHead + node(0, "forward", 4, 7, counts) + node(1, "all_reduce", 7, 3), "a.0.et");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->kernels.size(), 1);
  EXPECT_EQ(read->format, "Chakra execution trace");
  EXPECT_FALSE(read->predicted);
  EXPECT_EQ(read->kernels[0].name, "forward");
  EXPECT_DOUBLE_EQ(read->kernels[0].time->value(), 7e-6);
  EXPECT_EQ(read->kernels[0].metric(kTensorFlops), 100);
  EXPECT_EQ(read->kernels[0].metric(kDramBytes), 50);
  EXPECT_THAT(read->notes, testing::Contains("left out: 1 that communicate"));
}

TEST(Chakra, WhatTheHostComputesIsLeftOut) {
  const auto read =
      read_profile(kHead + node(0, "data", 4, 7, attribute("is_cpu_op", 27, 1)) + node(1, "forward", 4, 7), "a.0.et");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kernels.size(), 1);
}

TEST(Chakra, RooftilesOwnWereNotMeasured) {
  const std::string writer = field(1, std::string("writer")) + field(29, std::string("rooftile"));
  const std::string gpu = field(1, std::string("gpu")) + field(29, std::string("A30"));
  const std::string head = delimited(field(1, std::string("0.0.4")) + field(2, writer) + field(2, gpu));
  const auto read = read_profile(head + node(0, "forward", 4, 7), "a.0.et");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->predicted);
  EXPECT_EQ(read->gpu, "A30");
}

// The first byte of a file is the length of its head: 123 is '{', 91 '['.
TEST(Chakra, AHeadAsLongAsABracketIsNoJson) {
  for (const std::size_t length : {91, 123}) {
    const std::string version = field(1, std::string("0.0.4"));
    const std::string note = field(2, field(1, std::string(length - version.size() - 4, 'n')));
    const std::string head = delimited(version + note);
    ASSERT_EQ(static_cast<std::size_t>(head.front()), length);
    const auto read = read_profile(head + node(0, "forward", 4, 7), "a.0.et");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->format, "Chakra execution trace");
  }
}

TEST(Chakra, WhatIsDroppedSaysWhy) {
  const auto read = read_profile(kHead + node(0, "forward", 4, 7) + node(1, "relu", 4, 0) + node(2, "", 4, 7) +
                                     delimited(field(2, std::string("cut")).substr(0, 3)),
                                 "a.0.et");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->kernels.size(), 1);
  ASSERT_EQ(read->dropped.size(), 3);
  EXPECT_EQ(read->dropped[0].reason, "'relu' takes no time");
  EXPECT_EQ(read->dropped[1].reason, "has no name");
  EXPECT_EQ(read->dropped[2].reason, "is no message");
}

TEST(Chakra, ABrokenFileIsOneLine) {
  const std::string cut = kHead + node(0, "forward", 4, 7) + node(1, "backward", 4, 7);
  EXPECT_THAT(read_profile(cut.substr(0, cut.size() - 3), "a.0.et").error().text(), HasSubstr("ends within a message"));
  EXPECT_THAT(read_profile(kHead + node(0, "all_reduce", 7, 3), "a.0.et").error().text(),
              HasSubstr("no usable kernel"));
}

}  // namespace
}  // namespace rooftile::profile
