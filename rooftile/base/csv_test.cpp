#include "rooftile/base/csv.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rooftile {
namespace {

using Cells = std::vector<std::string>;

std::vector<Cells> cells(std::string_view text) {
  std::vector<Cells> result;
  const auto rows = parse_csv(text, "t.csv");
  if (!rows) {
    ADD_FAILURE() << rows.error().text();
    return result;
  }
  for (const CsvRow& row : *rows) result.push_back(row.cells);
  return result;
}

std::string row(const Cells& cells) { return write_csv_row(cells); }

// What a spreadsheet would run is text to it, and to us what it was.
TEST(Csv, MarksFormulas) {
  EXPECT_EQ(row({"=1+1", "+a", "-b", "@c", "\td", "x=1"}), "'=1+1,'+a,'-b,'@c,\"'\td\",x=1\n");
  EXPECT_EQ(row({"-1.5", "+2", "-3e-4", "-", "-inf", "-1+1", "'a"}), "-1.5,+2,-3e-4,-,'-inf,'-1+1,'a\n");
  for (const char* cell : {"=1+1", "'=1", "''@x", "\rx", "-a,b", "'-", "'x", "-2", "=\"a\""}) {
    EXPECT_EQ(cells(row({cell, "x"})), (std::vector<Cells>{{cell, "x"}})) << cell;
  }
}

TEST(Csv, QuotesControlCharacters) { EXPECT_EQ(row({"a\x1b[31m", "\u202e", "é"}), "\"a\x1b[31m\",\"\u202e\",é\n"); }

std::string csv_error(std::string_view text) {
  const auto rows = parse_csv(text, "t.csv");
  return rows ? "no error" : rows.error().text();
}

const std::vector<Cells> kTwoRows = {{"a", "b"}, {"1", "2"}};

TEST(Csv, LineEndsAndByteOrderMark) {
  EXPECT_EQ(cells("a,b\n1,2\n"), kTwoRows);
  EXPECT_EQ(cells("a,b\n1,2"), kTwoRows);
  EXPECT_EQ(cells("a,b\r\n1,2\r\n"), kTwoRows);
  EXPECT_EQ(cells("a,b\r1,2\r"), kTwoRows);
  EXPECT_EQ(cells("\xEF\xBB\xBF"
                  "a,b\n1,2\n"),
            kTwoRows);
  EXPECT_EQ(cells("\n\na,b\n\n1,2\n\n"), kTwoRows);
  EXPECT_TRUE(cells("").empty());
}

TEST(Csv, Quotes) {
  EXPECT_EQ(cells("\"a,b\",\"say \"\"x\"\"\",\"1\n2\"\n"), (std::vector<Cells>{{"a,b", "say \"x\"", "1\n2"}}));
  EXPECT_EQ(cells("\"\"\n"), (std::vector<Cells>{{""}}));
  EXPECT_EQ(cells(",\n"), (std::vector<Cells>{{"", ""}}));
}

TEST(Csv, BlanksBelongToTheCell) { EXPECT_EQ(cells(" a ,\tb\n"), (std::vector<Cells>{{" a ", "\tb"}})); }

// What a reader makes of a text in pieces of that many bytes.
Result<std::vector<CsvRow>> in_pieces(std::string_view text, std::size_t size) {
  CsvReader reader("t.csv");
  std::vector<CsvRow> all;
  for (std::size_t at = 0; at < text.size(); at += size) {
    auto rows = reader.feed(text.substr(at, size));
    if (!rows) return rows;
    all.insert(all.end(), rows->begin(), rows->end());
  }
  auto rows = reader.finish();
  if (rows) all.insert(all.end(), rows->begin(), rows->end());
  return rows ? Result<std::vector<CsvRow>>(all) : rows;
}

RC_GTEST_PROP(Csv, APieceAtATimeIsTheSameAsTheWhole, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', '\xEF', '\xBB', '\xBF'));
  const auto size = *rc::gen::inRange<std::size_t>(1, 8);
  const auto whole = parse_csv(text, "t.csv"), pieces = in_pieces(text, size);
  RC_ASSERT(whole.has_value() == pieces.has_value());
  if (!whole) RC_ASSERT(whole.error() == pieces.error());
  if (!whole) return;
  RC_ASSERT(whole->size() == pieces->size());
  for (std::size_t i = 0; i < whole->size(); ++i) {
    RC_ASSERT((*whole)[i].line == (*pieces)[i].line);
    RC_ASSERT((*whole)[i].cells == (*pieces)[i].cells);
  }
}

TEST(Csv, AReaderOfPiecesBoundsWhatItHolds) {
  CsvReader reader("t.csv");
  const std::string line(1 << 20, 'x');
  ASSERT_TRUE(reader.feed("a\n\"").has_value());
  Result<std::vector<CsvRow>> rows;
  for (int i = 0; i < 17 && rows; ++i) rows = reader.feed(line + "\n");
  ASSERT_FALSE(rows.has_value());
  EXPECT_THAT(rows.error().text(), testing::HasSubstr("a row of more than 16777216 bytes"));
}

TEST(Csv, RowsKnowTheirLine) {
  const auto rows = parse_csv("a\n\n\"x\ny\r\nz\"\nb\r\n\r\nc\rd", "t.csv");
  ASSERT_TRUE(rows.has_value());
  std::vector<std::size_t> lines;
  for (const CsvRow& row : *rows) lines.push_back(row.line);
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 3, 6, 8, 9}));
}

TEST(Csv, Errors) {
  EXPECT_EQ(csv_error("a\nb\"c\n"), "t.csv:2: misplaced quote");
  EXPECT_EQ(csv_error("a\n\"b\"c\n"), "t.csv:2: misplaced quote");
  EXPECT_EQ(csv_error("a\n\"b\nc\n"), "t.csv:2: unclosed quote");
  EXPECT_EQ(csv_error(std::string_view("a\n\0b\n", 5)), "t.csv:2: a NUL byte; CSV is text, in UTF-8");
}

TEST(Csv, HugeCells) {
  const std::string huge(2'000'000, 'x');
  EXPECT_EQ(cells("a,b\n" + huge + ",2\n")[1][0].size(), huge.size());
}

TEST(Csv, WritesWhatItReads) {
  EXPECT_EQ(write_csv_row(Cells{"a", "b c", ""}), "a,b c,\n");
  EXPECT_EQ(write_csv_row(Cells{"a,b", "say \"x\"", "1\n2"}), "\"a,b\",\"say \"\"x\"\"\",\"1\n2\"\n");
}

RC_GTEST_PROP(Csv, RoundTrip, ()) {
  const auto cell = rc::gen::container<std::string>(rc::gen::element('a', ' ', ',', '"', '\r', '\n', '\xEF'));
  const auto row = rc::gen::nonEmpty(rc::gen::container<Cells>(cell));
  const auto rows = *rc::gen::resize(6, rc::gen::container<std::vector<Cells>>(row));
  std::string text;
  for (const Cells& written : rows) text += write_csv_row(written);
  RC_ASSERT(cells(text) == rows);
}

}  // namespace
}  // namespace rooftile
