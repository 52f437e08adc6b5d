#include "rooftile/report/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rooftile {
namespace {

// Chosen by search: hues as named, the least distance in OKLab between any two of the first eight made large for normal
// vision and for the three colour-vision deficiencies as simulated by Machado et al. (IEEE TVCG 15(6), 2009).
constexpr std::array<Colour, 11> kSeries = {{{"#215cff", "#4f8dff"},    // blue
                                             {"#c26a00", "#f2a93b"},    // orange
                                             {"#0aa55a", "#35d98a"},    // green
                                             {"#df5ec1", "#b552b5"},    // pink
                                             {"#005269", "#b5f2f5"},    // petrol, pale cyan
                                             {"#8c1d00", "#e0442e"},    // red
                                             {"#7817b4", "#d0b0ff"},    // violet
                                             {"#757575", "#909090"},    // grey
                                             {"#6b7a00", "#c9d94a"},    // olive
                                             {"#5b3a1e", "#c79a6b"},    // brown
                                             {"#8d7fb0", "#6f7f9a"}}};  // slate

constexpr std::array<Colour, 11> kSurroundings = {kGround, kText, kInk,   kQuiet, kFaint, kContour,
                                                  kGrid,   kLane, kOther, kAlarm, kOnMark};

constexpr std::array<std::pair<std::string_view, std::size_t>, 9> kLimits = {{{"compute", 0},
                                                                              {"dram", 1},
                                                                              {"bandwidth", 1},
                                                                              {"l1", 2},
                                                                              {"latency", 3},
                                                                              {"smem", 4},
                                                                              {"power", 5},
                                                                              {"l2", 6},
                                                                              {"launch", 7}}};
constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kLevels = {
    {{"DRAM", 1}, {"L1", 2}, {"MALL", 4}, {"L2", 6}}};

constexpr std::array<std::pair<std::string_view, std::size_t>, 11> kStalls = {{{"pipe_busy", 0},
                                                                               {"memory_dependency", 1},
                                                                               {"memory_throttle", 2},
                                                                               {"constant_memory_dependency", 3},
                                                                               {"exec_dependency", 4},
                                                                               {"sleeping", 5},
                                                                               {"texture", 6},
                                                                               {"other", 7},
                                                                               {"inst_fetch", 8},
                                                                               {"sync", 9},
                                                                               {"not_selected", 10}}};

template <std::size_t Count>
const Colour& colour_in(const std::array<std::pair<std::string_view, std::size_t>, Count>& table,
                        std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == name; });
  return found == table.end() ? kSeries[kApart - 1] : kSeries[found->second];
}

int hexadecimal(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

// Relative luminance of "#rrggbb" (WCAG 2.2).
double luminance(std::string_view colour) {
  constexpr std::array<double, 3> kWeights = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    const double share = (16 * hexadecimal(colour[1 + 2 * i]) + hexadecimal(colour[2 + 2 * i])) / 255.0;
    sum += kWeights[i] * (share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4));
  }
  return sum;
}

}  // namespace

const Colour& series_colour(std::size_t place) { return kSeries[place % kSeries.size()]; }

const Colour& limit_colour(std::string_view limit) { return colour_in(kLimits, limit); }

const Colour& level_colour(std::string_view level) { return colour_in(kLevels, level); }

const Colour& stall_colour(std::string_view reason) { return colour_in(kStalls, reason); }

double contrast(std::string_view one, std::string_view other) {
  constexpr double kFlare = 0.05;
  const auto [low, high] = std::minmax({luminance(one), luminance(other)});
  return (high + kFlare) / (low + kFlare);
}

std::string_view text_on(std::string_view colour) {
  constexpr std::string_view kBlack = "#000000", kWhite = "#ffffff";
  return contrast(colour, kBlack) >= contrast(colour, kWhite) ? kBlack : kWhite;
}

std::span<const Colour> palette() {
  static const auto kAll = [] {
    std::array<Colour, kSeries.size() + kSurroundings.size()> all;
    std::copy(kSurroundings.begin(), kSurroundings.end(), std::copy(kSeries.begin(), kSeries.end(), all.begin()));
    return all;
  }();
  return kAll;
}

}  // namespace rooftile
