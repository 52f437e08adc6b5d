#include "rooftile/report/svg.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"

namespace rooftile {
namespace {

// The end of an element, with its title.
std::string end_of(std::string_view element, std::string_view title) {
  return title.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", svg_escaped(title), element);
}

// Rules that turn every light shade in the body into the dark one.
std::string dark_style(std::string_view body) {
  std::string rules;
  for (const Colour& colour : palette()) {
    for (const std::string_view attribute : {"fill", "stroke"}) {
      const std::string written = fmt::format("{}=\"{}\"", attribute, colour.light);
      if (body.find(written) != std::string_view::npos) {
        rules += fmt::format("[{}] {{ {}: {} }}\n", written, attribute, colour.dark);
      }
    }
  }
  return fmt::format("<style>@media (prefers-color-scheme: dark) {{\n{}}}</style>\n", rules);
}

}  // namespace

std::string svg_number(double value) {
  constexpr double kTenths = 10;
  const double rounded = std::round(value * kTenths) / kTenths;
  return fmt::format("{}", rounded == 0 ? 0 : rounded);
}

std::string svg_escaped(std::string_view text) {
  std::string result;
  for (const char c : one_line(text, std::numeric_limits<std::size_t>::max())) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

Svg::Svg(double width, double height) : width_(width), height_(height) {}

void Svg::rectangle(double x, double y, double width, double height, std::string_view style, std::string_view title) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}{}", svg_number(x), svg_number(y),
                       svg_number(width), svg_number(height), style, end_of("rect", title));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", svg_number(x1), svg_number(y1),
                       svg_number(x2), svg_number(y2), style);
}

void Svg::path(std::string_view data, std::string_view style, std::string_view title) {
  body_ += fmt::format("<path d=\"{}\"{}{}{}", data, style.empty() ? "" : " ", style, end_of("path", title));
}

void Svg::begin_group(std::string_view style) { body_ += fmt::format("<g {}>\n", style); }

void Svg::end_group() { body_ += "</g>\n"; }

void Svg::text(double x, double y, std::string_view text, const SvgText& style) {
  const std::string turn = style.rotate == 0 ? ""
                                             : fmt::format(" transform=\"rotate({} {} {})\"", svg_number(style.rotate),
                                                           svg_number(x), svg_number(y));
  const std::string halo =
      style.halo ? fmt::format(" stroke=\"{}\" stroke-width=\"5\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                               kGround.light)
                 : "";
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}{}{}>{}</text>\n",
                       svg_number(x), svg_number(y), svg_number(style.size), style.anchor, style.colour,
                       style.bold ? " font-weight=\"bold\"" : "", halo, turn, svg_escaped(text));
}

void Svg::begin_clip(double x, double y, double width, double height) {
  ++clips_;
  body_ += fmt::format("<clipPath id=\"clip{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
                       clips_, svg_number(x), svg_number(y), svg_number(width), svg_number(height));
  body_ += fmt::format("<g clip-path=\"url(#clip{})\">\n", clips_);
}

void Svg::end_clip() { body_ += "</g>\n"; }

std::string Svg::document() const {
  const std::string width = svg_number(width_), height = svg_number(height_);
  const std::string drawn =
      fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n{}", width, height, kGround.light, body_);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\">\n{2}{3}</svg>\n",
      width, height, dark_style(drawn), drawn);
}

}  // namespace rooftile
