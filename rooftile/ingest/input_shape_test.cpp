#include "rooftile/ingest/input_shape.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(InputSize, Forms) {
  InputSizes sizes;
  for (const char* text : {"input=1x3x224x160", "height=512", "a=b=2x3", "299"}) {
    EXPECT_TRUE(add_input_size(text, sizes)) << text;
  }
  EXPECT_EQ(sizes.shapes, (std::map<std::string, Shape>{{"input", {1, 3, 224, 160}}, {"a=b", {2, 3}}}));
  EXPECT_EQ(sizes.dims, (std::map<std::string, std::int64_t>{{"height", 512}}));
  EXPECT_EQ(sizes.image_size, 299);
}

TEST(InputSize, IsGivenOnce) {
  InputSizes sizes;
  for (const char* text : {"x=2x3", "y=2", "64"}) EXPECT_TRUE(add_input_size(text, sizes));
  EXPECT_EQ(add_input_size("x=4", sizes).error().message, "'x' is given twice");
  EXPECT_EQ(add_input_size("y=4x4", sizes).error().message, "'y' is given twice");
  EXPECT_EQ(add_input_size("64", sizes).error().message, "the size of images is given twice");
}

TEST(InputSize, WhatIsNone) {
  for (const char* text : {"", "input", "=1x3", "=3", "input=", "input=1x", "input=x3", "input=1,3", "input=0x3",
                           "input=-1", "input=1x2147483649", "input=1.5", "224x224", "0"}) {
    InputSizes sizes;
    EXPECT_EQ(add_input_size(text, sizes).error().code, ErrorCode::usage) << text;
  }
  InputSizes sizes;
  EXPECT_EQ(add_input_size("input=1xN", sizes).error().message,
            "'input=1xN' is none of N, DIM=N and INPUT=NxCxHxW with sizes from 1 to 2147483648");
}

}  // namespace
}  // namespace rooftile
