// Writing SVG: shapes and text, one element a line, coordinates to a tenth of a pixel. Any text is safe: it is escaped,
// and what XML cannot hold is replaced. Whoever asks for dark pages gets the dark shades of the palette.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/report/palette.hpp"

namespace rooftile {

// "7", "7.5": at most one decimal, never "-0".
std::string svg_number(double value);

// `text` as the content of an element or of a quoted attribute.
std::string svg_escaped(std::string_view text);

struct SvgText {
  std::string_view anchor = "start";  // start, middle, end
  double size = 12;                   // pixels
  double rotate = 0;                  // degrees clockwise about its own place
  bool bold = false;
  std::string_view colour = kText.light;
  bool halo = false;  // the ground's colour around the letters, over whatever lies below
};

class Svg {
 public:
  Svg(double width, double height);

  // `style` is the element's own attributes, as they stand: `fill="none" stroke="#000000"`. Viewers show `title` to
  // whoever points at the element.
  void rectangle(double x, double y, double width, double height, std::string_view style, std::string_view title = {});
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  // `data` as SVG defines it: "M1 2L3 4".
  void path(std::string_view data, std::string_view style, std::string_view title = {});
  void text(double x, double y, std::string_view text, const SvgText& style = {});

  // What is drawn until end_group() has this style where it has none of its own.
  void begin_group(std::string_view style);
  void end_group();

  // What is drawn until end_clip() is cut off at a rectangle.
  void begin_clip(double x, double y, double width, double height);
  void end_clip();

  // The whole document.
  std::string document() const;

 private:
  double width_, height_;
  int clips_ = 0;
  std::string body_;
};

}  // namespace rooftile
