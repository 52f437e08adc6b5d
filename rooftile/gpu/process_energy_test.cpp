#include "rooftile/gpu/process_energy.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace rooftile {
namespace {

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

TEST(ProcessEnergy, EachHasASource) {
  for (const ProcessEnergy& one : process_energies()) EXPECT_FALSE(one.source.empty()) << one.nm;
}

TEST(ProcessEnergy, NeedsTwoInOrderWithSources) {
  const std::string head = "[sources]\nus = \"us\"\n";
  const auto row = [](const char* nm, const char* energy) {
    return std::string("[[process]]\nnm = ") + nm + "\nenergy = " + energy + "\nsource = \"us\"\n";
  };
  EXPECT_TRUE(parse_process_energies(head + row("3", "0.2") + row("16", "1"), "t.toml"));
  for (const std::string& rows : {row("3", "0.2"), row("16", "1") + row("3", "0.2"), row("3", "0.2") + row("4", "0"),
                                  row("3", "0.2") + "[[process]]\nnm = 4\nenergy = 1\n"}) {
    EXPECT_FALSE(parse_process_energies(head + rows, "t.toml")) << rows;
  }
}

}  // namespace
}  // namespace rooftile
