#include "rooftile/report/palette.hpp"

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/profile/stall_reasons.hpp"
#include "rooftile/timing/estimate.hpp"

namespace rooftile {
namespace {

using Three = std::array<double, 3>;
using Matrix = std::array<Three, 3>;

Three times(const Matrix& matrix, const Three& vector) {
  Three result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) result[row] += matrix[row][i] * vector[i];
  }
  return result;
}

Three linear(std::string_view colour) {
  Three result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    result[i] = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  }
  return result;
}

// Ottosson, "A perceptual color space for image processing" (2020).
Three oklab(const Three& rgb) {
  constexpr Matrix kCones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                              {0.2119034982, 0.6806995451, 0.1073969566},
                              {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr Matrix kLab = {{{0.2104542553, 0.7936177850, -0.0040720468},
                            {1.9779984951, -2.4285922050, 0.4505937099},
                            {0.0259040371, 0.7827717662, -0.8086757660}}};
  Three cones = times(kCones, rgb);
  for (double& cone : cones) cone = std::cbrt(cone);
  return times(kLab, cones);
}

// Normal vision, then protanopia, deuteranopia and tritanopia as Machado et al. (2009) simulate them.
constexpr std::array<Matrix, 4> kVisions = {
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

double distance(std::string_view one, std::string_view other, const Matrix& vision) {
  const auto seen = [&](std::string_view colour) {
    Three rgb = times(vision, linear(colour));
    for (double& channel : rgb) channel = std::fmin(1, std::fmax(0, channel));
    return oklab(rgb);
  };
  const Three a = seen(one), b = seen(other);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(Palette, StandsOutFromItsGround) {
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_GE(contrast(series_colour(i).light, kGround.light), 3) << i;
    EXPECT_GE(contrast(series_colour(i).dark, kGround.dark), 3) << i;
  }
  for (const Colour& text : {kText, kInk, kQuiet, kFaint}) {
    EXPECT_GE(contrast(text.light, kGround.light), 4.5) << text.light;
    EXPECT_GE(contrast(text.dark, kGround.dark), 4.5) << text.dark;
  }
}

// 0.06 is twice what the nearest two of Okabe and Ito's colours and a grey have between them.
TEST(Palette, StaysApartForAnyColourVision) {
  for (std::size_t i = 0; i < kApart; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (const Matrix& vision : kVisions) {
        EXPECT_GE(distance(series_colour(i).light, series_colour(j).light, vision), 0.06) << i << " and " << j;
        EXPECT_GE(distance(series_colour(i).dark, series_colour(j).dark, vision), 0.06)
            << i << " and " << j << ", dark";
      }
    }
  }
}

TEST(Palette, HasOneColourForEachLimit) {
  std::set<std::string_view> colours;
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    EXPECT_TRUE(colours.insert(limit_colour(name_of(static_cast<Bottleneck>(i))).light).second) << i;
  }
  EXPECT_EQ(limit_colour("bandwidth").light, limit_colour("dram").light);
  EXPECT_EQ(level_colour("L1").light, limit_colour("l1").light);
  EXPECT_EQ(level_colour("L2").light, limit_colour("l2").light);
  EXPECT_EQ(level_colour("DRAM").light, limit_colour("dram").light);
}

TEST(Palette, AStallHasTheColourOfItsLimit) {
  std::set<std::string_view> colours;
  for (const profile::StallReason& reason : profile::stall_reasons()) {
    EXPECT_TRUE(colours.insert(stall_colour(reason.name).light).second) << reason.name;
  }
  EXPECT_EQ(stall_colour("pipe_busy").light, limit_colour("compute").light);
  EXPECT_EQ(stall_colour("exec_dependency").light, limit_colour("smem").light);
  EXPECT_EQ(stall_colour("memory_dependency").light, limit_colour("dram").light);
  EXPECT_EQ(stall_colour("memory_throttle").light, limit_colour("l1").light);
}

// An SVG turns light shades into dark ones by their text.
TEST(Palette, ALightShadeHasOneDarkOne) {
  std::set<std::string_view> lights;
  for (const Colour& colour : palette()) EXPECT_TRUE(lights.insert(colour.light).second) << colour.light;
}

TEST(Palette, TextOnMarksCanBeRead) {
  EXPECT_EQ(text_on("#ffffff"), "#000000");
  EXPECT_EQ(text_on("#005269"), "#ffffff");
  for (std::size_t i = 0; i < kApart; ++i) {
    const Colour& colour = series_colour(i);
    EXPECT_GE(contrast(colour.light, text_on(colour.light)), 4.5) << colour.light;
    EXPECT_EQ(text_on(colour.dark), kOnMark.dark) << colour.dark;
  }
}

}  // namespace
}  // namespace rooftile
