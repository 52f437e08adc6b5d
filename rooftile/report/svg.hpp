// Writing SVG: shapes and text, one element a line, coordinates to a tenth of a pixel. Any text is safe: it is escaped,
// and what XML cannot hold is replaced.
#pragma once

#include <string>
#include <string_view>

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
  std::string_view colour = "#222222";
  bool halo = false;  // white around the letters, over whatever lies below
};

class Svg {
 public:
  Svg(double width, double height);

  // `style` is the element's own attributes, as they stand: `fill="none" stroke="#000000"`.
  void rectangle(double x, double y, double width, double height, std::string_view style);
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  // `data` as SVG defines it: "M1 2L3 4".
  void path(std::string_view data, std::string_view style);
  void text(double x, double y, std::string_view text, const SvgText& style = {});

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
