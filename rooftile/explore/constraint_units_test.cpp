#include "rooftile/explore/constraint_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/explore/constraint.hpp"

namespace rooftile {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(ConstraintUnits, NumbersWithUnitsAreInBaseUnits) {
  EXPECT_EQ(in_base_units("power <= 300W").value(), "power <= 300");
  EXPECT_EQ(in_base_units("time <= 1.5 ms and manufacturing_cost<=500 USD").value(),
            "time <= 0.0015 and manufacturing_cost<=500");
  EXPECT_EQ(in_base_units("l2_capacity > 4 MiB").value(), "l2_capacity > 4194304");
  EXPECT_EQ(in_base_units("dram_bandwidth >= 450GB/s").value(), "dram_bandwidth >= 450000000000");
  EXPECT_EQ(in_base_units("energy/time < 0.3 kW or power<1").value(), "energy/time < 300 or power<1");
  EXPECT_EQ(in_base_units("registers > 64k").value(), "registers > 64000");
}

TEST(ConstraintUnits, WhatHasNoneStaysAsItIs) {
  for (const char* text : {"sm_count * mac_per_sm <= 16384 and manufacturing_cost < 400", "dram_bandwidth > 1.79e12",
                           "l2_bandwidth >= 2 * dram_bandwidth", "time < 0.02 and area<600 or sm_count == 1e2"}) {
    EXPECT_EQ(in_base_units(text).value(), text);
  }
}

TEST(ConstraintUnits, AUnitOfSomethingElseNamesTheNearest) {
  EXPECT_THAT(in_base_units("power <= 300 Ws").error().message,
              HasSubstr("'Ws' is not a unit of what is compared; did you mean 'W'?"));
  EXPECT_THAT(in_base_units("power <= 300 GB").error().message, EndsWith("compared; one of W, mW, kW, k, M, G, T"));
  EXPECT_THAT(in_base_units("power <= 300 ms").error().message, HasSubstr("'ms' is not a unit of what is compared"));
  EXPECT_THAT(Constraints::parse({"time <= 5 parsecs"}).error().text(), HasSubstr("constraint \"time <= 5 parsecs\""));
  EXPECT_THAT(Constraints::parse({"pwer <= 300W"}).error().message,
              HasSubstr("unknown name 'pwer'; did you mean 'power'?"));
  EXPECT_TRUE(Constraints::parse({"power <= 300 W and time <= 1ms"}));
}

}  // namespace
}  // namespace rooftile
