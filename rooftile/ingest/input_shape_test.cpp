#include "rooftile/ingest/input_shape.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(InputShape, NameAndSizes) {
  EXPECT_EQ(parse_input_shape("input=1x3x224x160").value(), std::pair(std::string("input"), Shape{1, 3, 224, 160}));
  EXPECT_EQ(parse_input_shape("ids=8").value(), std::pair(std::string("ids"), Shape{8}));
  EXPECT_EQ(parse_input_shape("a=b=2x3").value().first, "a=b");
  EXPECT_EQ(parse_open_dimension("height=512").value(), std::pair(std::string("height"), std::int64_t{512}));
}

TEST(InputShape, WhatIsNone) {
  for (const char* text : {"", "input", "=1x3", "input=", "input=1x", "input=x3", "input=1,3", "input=0x3", "input=-1",
                           "input=1x2147483649", "input=1.5"}) {
    EXPECT_EQ(parse_input_shape(text).error().code, ErrorCode::usage) << text;
  }
  EXPECT_EQ(parse_input_shape("input=1xN").error().message,
            "'input=1xN' is not INPUT=NxCxHxW with sizes from 1 to 2147483648");
  EXPECT_EQ(parse_open_dimension("height=0").error().message,
            "'height=0' is not NAME=N with sizes from 1 to 2147483648");
  EXPECT_FALSE(parse_open_dimension("height"));
}

}  // namespace
}  // namespace rooftile
