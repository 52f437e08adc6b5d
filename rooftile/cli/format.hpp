// What a command writes, by --format or by the suffix of -o: the one place that knows the formats and their suffixes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile::cli {

enum class Format { table, json, csv, html, svg, png, pdf, toml, onnx, rows };  // rows: what figures are made of, CSV

std::string name_of(Format format);  // as --format has it

inline bool is_picture(Format format) {
  return format == Format::svg || format == Format::png || format == Format::pdf;
}

// --format `text` if there is one, else what the suffix of `output` says, else the first of those `offered`. Errors: a
// format or a suffix that is not offered, both where they contradict each other, a picture that nothing can convert.
Result<Format> parse_format(std::string_view text, const std::string& output, const std::vector<Format>& offered);

// The same without --format, of the file that `option` names, for what is written besides or in one format alone.
Result<void> check_suffix(std::string_view option, const std::string& path, const std::vector<Format>& offered);
// Of a file that only this program reads, `usual` as it is called: no suffix that promises one of the formats.
Result<void> check_no_report(std::string_view option, const std::string& path, std::string_view usual);
// Whether that is what a file would be called, "a.xlsx", and not a folder: "a.xlsx/", "run-1.5".
bool looks_like_file(const std::string& path);
// Of a chart: svg, which it is without a suffix, png or pdf.
Result<Format> picture_format(std::string_view option, const std::string& path);

}  // namespace rooftile::cli
