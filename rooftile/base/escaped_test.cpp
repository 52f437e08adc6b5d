#include "rooftile/base/escaped.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Escaped, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(escaped("conv1 'é' \xf0\x9f\x8f\xa0"), "conv1 'é' \xf0\x9f\x8f\xa0");
  EXPECT_EQ(escaped("a\x1b[31m\n\t\u009b\u202e"), "a\\u001b[31m\\u000a\\u0009\\u009b\\u202e");
  EXPECT_EQ(escaped("\xb5s"), "\\xb5s");
  EXPECT_EQ(escaped_lines("a\tb\n\x1b\x7f\r\xb5\n", false), "a\tb\n\\u001b\\u007f\\u000d\xb5\n");
  EXPECT_EQ(escaped_lines("a\n\xb5\n", true), "a\n\\xb5\n");
}

}  // namespace
}  // namespace rooftile
