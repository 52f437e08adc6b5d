#include "rooftile/report/text.hpp"

#include <gtest/gtest.h>

namespace rooftile {
namespace {

TEST(Text, WidthCountsCharacters) {
  EXPECT_EQ(width_of("conv"), 4U);
  EXPECT_EQ(width_of("µs…"), 3U);
}

TEST(Text, ShortensInTheMiddle) {
  EXPECT_EQ(shorten("conv1", 8), "conv1");
  EXPECT_EQ(shorten("/layer1/layer1.0/conv1/Conv", 11), "/laye…/Conv");
  EXPECT_EQ(width_of(shorten("ääääääääääää", 5)), 5U);
}

TEST(Text, TablePadsAndTrims) {
  TextTable table({{"name"}, {"time", Align::right}});
  table.add({"conv1", "12 ms"});
  table.add({"a", "3 us"});
  EXPECT_EQ(table.text(), "  name    time\n  conv1  12 ms\n  a       3 us\n");
}

TEST(Text, TableWithoutHeaders) {
  TextTable table({{""}, {""}});
  table.add({"a", ""});
  EXPECT_EQ(table.text(kAnyWidth, ""), "a\n");
}

// "layer  op  time", 38 columns in all.
TextTable wide_table() {
  TextTable table({{"layer"}, {"op"}, {"time", Align::right}, {"share", Align::right}});
  table.add({"encoder/layer.11/attention", "gemm", "1.234 ms", "99.9 %"});
  table.add({"conv1", "conv", "5 us", "0.1 %"});
  return table;
}

TEST(Text, TableShortensTextToThePage) {
  EXPECT_EQ(wide_table().text(40),
            "  layer           op        time   share\n"
            "  encode…tention  gemm  1.234 ms  99.9 %\n"
            "  conv1           conv      5 us   0.1 %\n");
}

TEST(Text, TableNeverCutsNumbers) {
  EXPECT_EQ(wide_table().text(20),
            "  layer         op\n"
            "  encod…ention  gemm\n"
            "  conv1         conv\n"
            "\n"
            "  layer             time\n"
            "  encod…ention  1.234 ms\n"
            "  conv1             5 us\n"
            "\n"
            "  layer          share\n"
            "  encod…ention  99.9 %\n"
            "  conv1          0.1 %\n");
}

TEST(Text, TableThatGoesOnBelowHasRoomForNames) {
  TextTable table({{"layer"}, {"time", Align::right}, {"share", Align::right}});
  table.add({"encoder/layer.11/attention", "1.234 ms of time", "99.9 % of all that there is"});
  EXPECT_EQ(table.text(56),
            "  layer                           time\n"
            "  encoder/…attention  1.234 ms of time\n"
            "\n"
            "  layer                                     share\n"
            "  encoder/…attention  99.9 % of all that there is\n");
}

TEST(Text, TableRepeatsWhatTellsItsRowsApart) {
  TextTable table({{"gpu"}, {"batch", Align::right}, {"time", Align::right}, {"share of all", Align::right}});
  table.add({"t4", "1", "1 ms", "10 %"});
  table.add({"t4", "64", "9 ms", "90 %"});
  EXPECT_EQ(table.text(28),
            "  gpu  batch  time\n"
            "  t4       1  1 ms\n"
            "  t4      64  9 ms\n"
            "\n"
            "  gpu  batch  share of all\n"
            "  t4       1          10 %\n"
            "  t4      64          90 %\n");
}

TEST(Text, TableNeverCutsWhatIsTypedAgain) {
  TextTable table({{"id", Align::left, Cut::never}, {"architecture"}, {"SMs", Align::right}});
  table.add({"a100-sxm4-80gb", "Ampere GA100, the chip", "108"});
  EXPECT_EQ(table.text(35),
            "  id              architecture  SMs\n"
            "  a100-sxm4-80gb  Amper…e chip  108\n");
}

TEST(Text, TableWrapsSentences) {
  TextTable table({{"name"}, {"description", Align::left, Cut::wraps}, {"n", Align::right}});
  table.add({"a", "one two three four five six", "1"});
  table.add({"b", "seven", "2"});
  EXPECT_EQ(table.text(28),
            "  name  description        n\n"
            "  a     one two three      1\n"
            "        four five six\n"
            "  b     seven              2\n");
}

TEST(Text, TableWrapsListsAfterCommas) {
  TextTable table({{"way", Align::left, Cut::wraps_list}, {"n", Align::right}});
  table.add({"tp 2, pp 16, sharding optimizer", "1"});
  EXPECT_EQ(table.text(26),
            "  way                    n\n"
            "  tp 2, pp 16,           1\n"
            "  sharding optimizer\n");
}

TEST(Text, TableOfAnyWidthIsWhole) {
  EXPECT_NE(wide_table().text().find("encoder/layer.11/attention  gemm  1.234 ms  99.9 %"), std::string::npos);
}

TEST(Text, Percent) {
  EXPECT_EQ(percent(1, 3), "33.3 %");
  EXPECT_EQ(percent(1, 0), "-");
}

TEST(Text, Bar) {
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(7, 2), "██");
  EXPECT_EQ(bar(0, 2), "");
}

TEST(Text, Grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(19238419200), "19,238,419,200");
  EXPECT_EQ(grouped(842.254), "842.254");
  EXPECT_EQ(grouped(-1234.5), "-1,234.5");
}

TEST(Text, CountedHasOnesAndMany) {
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1234, "row"), "1,234 rows");
}

TEST(Text, FourDigits) {
  EXPECT_EQ(four_digits(896.8123), "896.8");
  EXPECT_EQ(four_digits(14981.7), "14,982");
  EXPECT_EQ(four_digits(0.0123449), "0.01234");
}

TEST(Text, Wraps) {
  EXPECT_EQ(wrapped("one two three", 7, "  "), "one two\n  three");
  EXPECT_EQ(wrapped("unbreakable", 4, "  "), "unbreakable");
  EXPECT_EQ(wrapped("", 4, "  "), "");
  EXPECT_EQ(wrapped("  one two three", 9, "    "), "  one two\n    three");  // a line that is indented itself
}

}  // namespace
}  // namespace rooftile
