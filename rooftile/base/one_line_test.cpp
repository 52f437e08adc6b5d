#include "rooftile/base/one_line.hpp"

#include <string>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(OneLine, LeavesPlainTextAlone) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("conv1 'é' \xe2\x80\x94 \xf0\x9f\x8f\xa0"), "conv1 'é' \xe2\x80\x94 \xf0\x9f\x8f\xa0");
  EXPECT_EQ(one_line("\u00a0"), "\u00a0");  // the first character above C1
}

TEST(OneLine, ReplacesControlCharacters) {
  EXPECT_EQ(one_line("a\nb\r\t\x1b[31m\x7f"), "a?b???[31m?");
  EXPECT_EQ(one_line(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(one_line("\u0080x\u009by\u009f"), "?x?y?");  // U+009B starts an escape sequence as ESC [ does
}

TEST(OneLine, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(one_line("a\xff"), "a?");
  EXPECT_EQ(one_line("\x9b"), "?");
  EXPECT_EQ(one_line("y\xc3"), "y?");
  EXPECT_EQ(one_line("\xc3\xa9\xc3!"), "é?!");
  EXPECT_EQ(one_line("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(one_line("\xed\xa0\x80"), "???");       // surrogate
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(one_line("\xe2\x80\n"), "???");         // cut short
}

TEST(OneLine, CutsBeforeACharacter) {
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdefg", 6), "abcdef…");
  EXPECT_EQ(one_line("abcdeé", 6), "abcde…");
  EXPECT_EQ(one_line("abcdeé", 7), "abcdeé");
  EXPECT_EQ(one_line("x", 0), "…");
  EXPECT_EQ(one_line(std::string(1 << 20, 'x')), std::string(200, 'x') + "…");
  EXPECT_EQ(one_line(std::string(1000, 'x'), std::string::npos), std::string(1000, 'x'));
}

TEST(OneLine, FindsControlCharacters) {
  for (const char* text : {"\n", "a\x1b[31m", "a\x7f", "a\u0080", "\u009f", "\u202e", "a\u2028"}) {
    EXPECT_TRUE(has_control_characters(text));
  }
  for (const char* text : {"", "a b", "\u00a0é…", "\xc2", "\x9b"}) EXPECT_FALSE(has_control_characters(text));
}

TEST(OneLine, ReplacesWhatTurnsTheDirectionOfWriting) { EXPECT_EQ(one_line("a\u202etxt.exe\u2066"), "a?txt.exe?"); }

}  // namespace
}  // namespace rooftile
