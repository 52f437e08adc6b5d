#include "rooftile/gpu/process_energy.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooftile {
namespace {

using ::testing::HasSubstr;

TEST(ProcessEnergy, FallsAsTheFoundrySays) {
  EXPECT_NEAR(process_energy(kReferenceProcess), 1, 1e-9);
  EXPECT_NEAR(process_energy(12), 0.75, 1e-9);
  EXPECT_NEAR(process_energy(7), 0.65 * 0.6, 1e-9);
  EXPECT_NEAR(process_energy(5), 0.39 * 0.7, 1e-9);
  EXPECT_NEAR(process_energy(6), std::sqrt(0.273 * 0.39), 0.01) << "N6 between N5 and N7";
  EXPECT_NEAR(process_energy(28), 28.0 / 16, 0.01) << "as from 12 to 16";
  EXPECT_NEAR(process_energy(2) / process_energy(3), std::pow(2.0 / 3, std::log(0.246 / 0.18) / std::log(4.0 / 3)),
              1e-9);
}

constexpr const char* kProcessSources = "[sources]\nus = \"us\"\n";

std::string process_row(const char* nm, const char* energy, const char* rest = "source = \"us\"\n") {
  return std::string("[[process]]\nnm = ") + nm + "\nenergy = " + energy + "\n" + rest;
}

std::string process_refusal(const std::string& text) {
  const auto read = parse_process_energies(text, "t.toml");
  return read ? "none" : read.error().text();
}

TEST(ProcessEnergy, NeedsTwoInOrder) {
  EXPECT_EQ(process_refusal(kProcessSources + process_row("3", "0.2") + process_row("16", "1")), "none");
  for (const std::string& rows : {process_row("16", "1"), process_row("16", "1") + process_row("3", "0.2"),
                                  process_row("16", "1") + process_row("16", "1")}) {
    EXPECT_THAT(process_refusal(kProcessSources + rows), HasSubstr("at least twice, the smallest nm first")) << rows;
  }
}

TEST(ProcessEnergy, NeedsTheReference) {
  for (const std::string& rows :
       {process_row("3", "0.2") + process_row("12", "1"), process_row("3", "0.2") + process_row("16", "0.9")}) {
    EXPECT_THAT(process_refusal(kProcessSources + rows), HasSubstr("needs a [[process]] with nm = 16 and energy = 1"))
        << rows;
  }
}

TEST(ProcessEnergy, RowsAreCompleteAndHaveASource) {
  const std::string reference = process_row("16", "1");
  EXPECT_THAT(process_refusal(kProcessSources + process_row("3", "0.2", "") + reference),
              HasSubstr("each [[process]] has nm and energy"));
  EXPECT_THAT(process_refusal(kProcessSources + process_row("3", "0") + reference), HasSubstr("above 0"));
  EXPECT_THAT(process_refusal(kProcessSources + process_row("3", "0.2", "source = \"su\"\n") + reference),
              HasSubstr("source 'su' is not in [sources]"));
}

TEST(ProcessEnergy, UnknownKeysAreErrors) {
  const std::string reference = process_row("16", "1");
  EXPECT_THAT(process_refusal("proces = 1\n" + (kProcessSources + reference)), HasSubstr("unknown key 'proces'"));
  EXPECT_THAT(process_refusal(kProcessSources + process_row("3", "0.2", "source = \"us\"\nenrgy = 1\n") + reference),
              HasSubstr("unknown key 'enrgy' of [[process]]; did you mean 'energy'?"));
  EXPECT_THAT(process_refusal("process = 1\n" + std::string(kProcessSources)), HasSubstr("[[process]]"));
}

}  // namespace
}  // namespace rooftile
