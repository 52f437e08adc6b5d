#include "rooftile/gpu/gpu_file.hpp"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A file whose line 4 is `line`, in section [core].
std::string with_core(const std::string& line) {
  return "id = \"x\"\nsources = { own = \"a bench\" }\n[core]\n" + line + "\n";
}

std::string error_of(const std::string& text) {
  const auto file = read_gpu_file(text, "x.toml");
  return file ? "no error" : file.error().text();
}

TEST(GpuFile, ReadsFactsWithTheirSource) {
  const auto file = read_gpu_file(
      "id = \"x\"\nnote = \"beware\"\n[sources]\nown = \"a bench\"\n"
      "[core]\nsm_count = { value = 30, source = \"own\" }\n"
      "clock = { value = \"1.58 GHz\", source = \"own\", kind = \"measured\", note = \"boost\" }\n"
      "[[level]]\nname = \"L2\"\ncapacity = { value = \"3 MiB\", source = \"own\" }\n"
      "[board]\nlaunch_date = { value = 2017-04-06, source = \"own\" }\n",
      "x.toml");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->id, "x");
  EXPECT_EQ(file->note, "beware");
  const NumberedFact* clock = file->facts.find("core.clock");
  ASSERT_NE(clock, nullptr);
  EXPECT_DOUBLE_EQ(clock->number, 1.58e9);
  EXPECT_EQ(clock->fact.text, "1.58 GHz");
  EXPECT_EQ(clock->fact.kind, FactKind::measured);
  EXPECT_EQ(clock->fact.source, "a bench");
  EXPECT_EQ(clock->fact.note, "boost");
  EXPECT_DOUBLE_EQ(file->facts.find("core.sm_count")->number, 30);
  EXPECT_DOUBLE_EQ(file->facts.find("level.L2.capacity")->number, 3.0 * 1024 * 1024);
  EXPECT_EQ(file->facts.find("board.launch_date")->fact.text, "2017-04-06");
}

TEST(GpuFile, BadTomlSaysWhere) {
  EXPECT_THAT(error_of("id = \"x\"\nname = \n"), StartsWith("x.toml:2:"));
  // An assertion of toml++ 3.3 (toml.hpp) used to end the program here.
  EXPECT_THAT(error_of("[|x]\n"), StartsWith("x.toml:1:2: "));
}

TEST(GpuFile, AHostHasOneRating) {
  EXPECT_THAT(error_of("[board]\nhost_single_thread = 2140\nown_host_single_thread = 1400\n"),
              HasSubstr("are ratings of one processor; give one"));
}

TEST(GpuFile, UnknownKeysNameTheNearest) {
  EXPECT_EQ(error_of("idd = \"x\"\n"), "x.toml:1:1: unknown key 'idd'; did you mean 'id'?");
  EXPECT_EQ(error_of(with_core("clok = { value = \"1 GHz\", source = \"own\" }")),
            "x.toml:4:1: unknown key 'clok' in [core]; did you mean 'clock'?");
  EXPECT_THAT(error_of(with_core("zzzzzzzz = 1")), HasSubstr("known: sm_count, clock"));
  EXPECT_EQ(error_of(with_core("clock = { value = \"1 GHz\", sorce = \"own\" }")),
            "x.toml:4:28: unknown key 'sorce' of core.clock; did you mean 'source'?");
}

TEST(GpuFile, UnknownSourceNamesTheNearest) {
  EXPECT_EQ(error_of(with_core("clock = { value = \"1 GHz\", source = \"owm\" }")),
            "x.toml:4:37: source 'owm' is not in [sources]; did you mean 'own'?");
}

TEST(GpuFile, NumbersNeedTheirUnit) {
  EXPECT_THAT(error_of(with_core("clock = { value = 1.58, source = \"own\" }")),
              StartsWith("x.toml:4:19: core.clock must be a number and its unit in quotes"));
  EXPECT_THAT(error_of(with_core("clock = { value = \"1.58\", source = \"own\" }")),
              StartsWith("x.toml:4:19: core.clock: '1.58' has no unit"));
  EXPECT_THAT(error_of(with_core("clock = { value = \"1.58 GB/s\", source = \"own\" }")),
              StartsWith("x.toml:4:19: core.clock: '1.58 GB/s' has a wrong or unknown unit"));
  EXPECT_THAT(error_of(with_core("sm_count = { value = \"30\", source = \"own\" }")),
              HasSubstr("a plain number, as in 30"));
}

TEST(GpuFile, NumbersOutOfRange) {
  for (const char* clock : {"0 GHz", "-1 GHz", "1 Hz", "1e30 GHz", "1e999 GHz", "nan GHz", "inf GHz"}) {
    EXPECT_THAT(error_of(with_core(fmt::format("clock = {{ value = \"{}\", source = \"own\" }}", clock))),
                StartsWith("x.toml:4:19: core.clock"))
        << clock;
  }
  for (const char* count : {"0", "-3", "1.5", "nan", "inf", "-inf", "9223372036854775807"}) {
    EXPECT_THAT(error_of(with_core(fmt::format("sm_count = {{ value = {}, source = \"own\" }}", count))),
                StartsWith("x.toml:4:22: core.sm_count"))
        << count;
  }
  EXPECT_EQ(error_of(with_core("tensor_clock_ratio = { value = 1.5, source = \"own\" }")),
            "x.toml:4:32: core.tensor_clock_ratio = 1.5 is out of range: 0.01 to 1");
}

TEST(GpuFile, IncompleteFacts) {
  EXPECT_THAT(error_of(with_core("clock = \"1 GHz\"")), HasSubstr("must be written { value = \"1.58 GHz\", source ="));
  EXPECT_THAT(error_of(with_core("clock = { source = \"own\" }")), HasSubstr("core.clock has no value"));
  EXPECT_THAT(error_of(with_core("clock = { value = \"1 GHz\" }")), HasSubstr("core.clock has no source"));
  EXPECT_THAT(error_of(with_core("clock = { value = \"1 GHz\", source = \"own\", kind = \"guessed\" }")),
              HasSubstr("unknown kind 'guessed'; known: vendor, measured, stated, derived"));
}

TEST(GpuFile, AFileOfOnesOwnNeedsNoSources) {
  const auto file = read_gpu_file(
      "[core]\nsm_count = { value = 30 }\nclock = { value = \"1 GHz\", kind = \"stated\" }\n", "x.toml", FactKind::own);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->facts.find("core.sm_count")->fact.kind, FactKind::own);
  EXPECT_EQ(file->facts.find("core.sm_count")->fact.source, "given without a source at x.toml:2:12");
  EXPECT_EQ(file->facts.find("core.clock")->fact.kind, FactKind::stated);
}

TEST(GpuFile, Levels) {
  const std::string sources = "sources = { own = \"a bench\" }\n";
  EXPECT_EQ(error_of(sources + "[[level]]\nname = \"L2\"\n[[level]]\nname = \"L2\"\n"),
            "x.toml:5:8: level L2 is given twice");
  EXPECT_EQ(error_of(sources + "[[level]]\nname = \"L9\"\n"),
            "x.toml:3:8: unknown level 'L9'; known: L1, L2, MALL, DRAM");
  EXPECT_THAT(error_of(sources + "[[level]]\n"), HasSubstr("a level needs a name"));
  EXPECT_THAT(error_of(sources + "[level]\nname = \"L2\"\n"), HasSubstr("two brackets"));
  EXPECT_THAT(error_of(sources + "level = [1]\n"), HasSubstr("[[level]]"));
}

TEST(GpuFile, WrongTypes) {
  EXPECT_THAT(error_of("id = 3\n"), HasSubstr("id must be a string"));
  EXPECT_THAT(error_of("id = \"\"\n"), HasSubstr("id is empty"));
  EXPECT_THAT(error_of("core = 3\n"), HasSubstr("'core' must be a table"));
  EXPECT_THAT(error_of("sources = 3\n"), HasSubstr("'sources' must be a table"));
  EXPECT_THAT(error_of("sources = { own = 3 }\n"), HasSubstr("source 'own' must be a string"));
}

TEST(GpuFile, AnErrorIsOneLine) {
  for (const char* text : {"\"a\\nb\" = 1\n", "id = \"a\\nb\"\n", "sources = { \"a\\nb\" = 1 }\n", "id = \"\x01\"\n"}) {
    const std::string error = error_of(text);
    EXPECT_EQ(error.find_first_of("\n\r\x01"), std::string::npos) << error;
    EXPECT_THAT(error, StartsWith("x.toml:1:"));
  }
}

// A recursive parser must not be led to exhaust its stack, nor a reader its memory.
TEST(GpuFile, HostileSizeAndDepth) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  EXPECT_THAT(error_of("x = " + repeated("[", 100000)), HasSubstr("not a GPU file"));
  EXPECT_THAT(error_of("x = " + repeated("{a=", 100000)), HasSubstr("not a GPU file"));
  EXPECT_THAT(error_of("[" + repeated("a.", 100000) + "a]\n"), HasSubstr("not a GPU file"));
  EXPECT_THAT(error_of("x = " + repeated("[", 4000)), StartsWith("x.toml:1:"));
  EXPECT_THAT(error_of("[" + repeated("a.", 4000) + "a]\n"), StartsWith("x.toml:1:"));
  // Long, but not deep.
  EXPECT_THAT(error_of("x = [" + repeated("[1.5, 2.5], ", 5000) + "] # " + repeated("[.", 5000) + "\n"),
              HasSubstr("unknown key 'x'"));
  EXPECT_EQ(error_of(std::string((1 << 20) + 1, ' ')), "x.toml: larger than 1 MiB: not a GPU file");
  EXPECT_THAT(error_of(std::string(100000, 'x') + " = 1\n"), StartsWith("x.toml:1:"));
}

}  // namespace
}  // namespace rooftile
