#include "rooftile/cli/format.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/picture.hpp"

namespace rooftile::cli {
namespace {

struct Suffix {
  std::string_view text;  // the first of a format is the one that messages name
  Format format;
};

constexpr std::array kSuffixes = {
    Suffix{"txt", Format::table}, Suffix{"json", Format::json}, Suffix{"csv", Format::csv},
    Suffix{"html", Format::html}, Suffix{"htm", Format::html},  Suffix{"svg", Format::svg},
    Suffix{"png", Format::png},   Suffix{"pdf", Format::pdf},   Suffix{"toml", Format::toml},
    Suffix{"onnx", Format::onnx}, Suffix{"csv", Format::rows}};  // --format alone says it

std::string_view suffix_of(Format format) {
  return std::find_if(kSuffixes.begin(), kSuffixes.end(), [&](const Suffix& one) { return one.format == format; })
      ->text;
}

bool contains(const std::vector<Format>& formats, Format format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

// Without its dot, in lower case; empty where the file's name has none.
std::string suffix_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || name == "." || name == ".." ? std::string() : lower_case(name.substr(dot + 1));
}

std::optional<Format> format_of(const std::string& suffix) {
  for (const Suffix& one : kSuffixes) {
    if (one.text == suffix) return one.format;
  }
  return {};
}

// What the suffix says; nothing where there is none.
Result<std::optional<Format>> by_suffix(std::string_view option, const std::string& path,
                                        const std::vector<Format>& offered) {
  const std::string suffix = suffix_of(path);
  const auto format = format_of(suffix);
  if (suffix.empty() || (format && contains(offered, *format))) return format;
  std::vector<std::string> known;
  for (const Format one : offered) {
    if (one != Format::rows) known.push_back(fmt::format(".{}", suffix_of(one)));
  }
  return fail(ErrorCode::usage,
              fmt::format("'{}' has an unsupported suffix; use {}{}", one_line(path), known.size() > 1 ? "one of " : "",
                          fmt::join(known, ", ")),
              std::string(option));
}

}  // namespace

std::string name_of(Format format) {
  if (format == Format::table) return "table";
  return std::string(format == Format::rows ? "rows" : suffix_of(format));
}

Result<Format> parse_format(std::string_view text, const std::string& output, const std::vector<Format>& offered) {
  if (text.empty()) {
    const Format format = TRY(by_suffix("-o", output, offered)).value_or(*offered.begin());
    TRY(check_converter(format));
    return format;
  }
  std::vector<std::string> names;
  for (const Format format : offered) {
    names.push_back(name_of(format));
    if (names.back() != lower_case(text)) continue;
    const auto suffix = format_of(suffix_of(output));
    if (suffix && *suffix != format && suffix_of(*suffix) != suffix_of(format)) {
      return fail(ErrorCode::usage, fmt::format("{} does not match the suffix of -o {}", text, one_line(output)),
                  "--format");
    }
    TRY(check_converter(format));
    return format;
  }
  return fail(ErrorCode::usage, fmt::format("unknown format '{}'{}", one_line(text), one_of(text, names)), "--format");
}

Result<void> check_suffix(std::string_view option, const std::string& path, const std::vector<Format>& offered) {
  TRY(by_suffix(option, path, offered));
  return {};
}

Result<void> check_no_report(std::string_view option, const std::string& path, std::string_view usual) {
  if (!format_of(suffix_of(path))) return {};
  return fail(ErrorCode::usage,
              fmt::format("'{}' has an unsupported suffix; use {}, or another of your own", one_line(path), usual),
              std::string(option));
}

bool looks_like_file(const std::string& path) {
  const std::string suffix = suffix_of(path);
  return !suffix.empty() && suffix.front() >= 'a' && suffix.front() <= 'z';
}

Result<Format> picture_format(std::string_view option, const std::string& path) {
  const auto found = TRY(by_suffix(option, path, {Format::svg, Format::png, Format::pdf}));
  const Format format = found.value_or(Format::svg);
  TRY(check_converter(format));
  return format;
}

}  // namespace rooftile::cli
