// The colours of every chart and page, each in a shade for light and one for dark surroundings. What a chart draws it
// draws in the light shade; the SVG's style sheet and the page's turn it into the dark one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rooftile {

struct Colour {
  std::string_view light, dark;  // "#rrggbb"
};

constexpr Colour kGround = {"#ffffff", "#15181c"};
constexpr Colour kText = {"#222222", "#e8eaed"};
constexpr Colour kInk = {"#444444", "#b9c1c9"};      // axes, roofs, guides
constexpr Colour kQuiet = {"#555555", "#a4adb7"};    // captions
constexpr Colour kFaint = {"#737373", "#8f99a3"};    // names of contours
constexpr Colour kContour = {"#bfbfbf", "#545f6b"};  // lines behind the marks
constexpr Colour kGrid = {"#e2e2e2", "#2b3138"};
constexpr Colour kLane = {"#f2f2f2", "#22272d"};   // an empty part of a bar
constexpr Colour kOther = {"#8a8a8a", "#828c96"};  // whatever has no colour of its own
constexpr Colour kAlarm = {"#d62728", "#ff6b61"};
constexpr Colour kOnMark = {"#fefefe", "#000000"};  // white text on a mark, whose dark shade takes black

// Eight colours that stay apart for people with any colour vision and have a contrast of at least 3 with their ground,
// then three more for the many reasons to stall; after the last the first comes again.
constexpr std::size_t kApart = 8;
const Colour& series_colour(std::size_t place);

// Of a limit: a Bottleneck's or a Bound's name. A memory level has the colour of the limit that it is; a level that is
// none (AMD's MALL) that of its place among the series.
const Colour& limit_colour(std::string_view limit);
const Colour& level_colour(std::string_view level);

// Of a reason to stall: where a limit shows as it (roofline/stalls.hpp), that of the limit; L1's throttle is L1's.
const Colour& stall_colour(std::string_view reason);

// Black or white, whichever reads better on a colour.
std::string_view text_on(std::string_view colour);

// (L1 + 0.05) / (L2 + 0.05) of the relative luminances of two colours, at least 1 (WCAG 2.2).
double contrast(std::string_view one, std::string_view other);

// All of them, to look up what a light shade is in the dark.
std::span<const Colour> palette();

}  // namespace rooftile
