#include "rooftile/measure/device.hpp"

#include <string>

#include <gtest/gtest.h>

#include "rooftile/measure/test_device.hpp"

namespace rooftile::measure {
namespace {

// With every kind of field, and a name that has to be escaped.
Device full() {
  Device device = h200();
  device.name = "NVIDIA \"H200\" \\ x";
  device.memory_clock = Hertz(3.201e9);
  device.memory = Bytes(150754820096.0);
  device.l2 = Bytes(62914560);
  device.power_limit = Watts(700);
  device.ecc = true;
  return device;
}

TEST(Device, SurvivesTheFile) {
  const auto device = parse_device(write_device(full()), "device.toml");
  ASSERT_TRUE(device.has_value()) << device.error().text();
  EXPECT_EQ(*device, full());
}

TEST(Device, ErrorsNameThePlaceAndTheNearestKey) {
  const auto text = [](std::string_view toml) { return parse_device(toml, "d.toml").error().text(); };
  EXPECT_EQ(text("sm_cont = 3\n"), "d.toml:1:1: unknown key 'sm_cont'; did you mean 'sm_count'?");
  EXPECT_EQ(text("name = 3\n"), "d.toml:1:1: name must be a string in quotes");
  EXPECT_EQ(text("\nclock_hz = -1\n"), "d.toml:2:1: clock_hz must be a number from zero");
  EXPECT_EQ(text("clock_hz = nan\n"), "d.toml:1:1: clock_hz must be a number from zero");
  EXPECT_EQ(text("ecc = 1\n"), "d.toml:1:1: ecc must be true or false");
  EXPECT_EQ(text("name = \"x\"\n"), "d.toml: name, sm_count and clock_hz are needed");
  EXPECT_EQ(text("x = " + std::string(100000, '[')), "d.toml: nests 100000 deep, at most 4096: not a device file");
  EXPECT_FALSE(parse_device("name = ", "d.toml").has_value());
}

}  // namespace
}  // namespace rooftile::measure
