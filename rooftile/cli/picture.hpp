// Charts as files: SVG as it is, PNG and PDF by librsvg's program rsvg-convert.
#pragma once

#include <string>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/format.hpp"

namespace rooftile::cli {

// Whether the program that makes `format` out of SVG is there; nothing to do for what is not converted.
Result<void> check_converter(Format format);

// A chart in its format, to standard output or a file as write_output() does.
Result<void> write_picture(const std::string& path, const std::string& svg, Format format);
// The same, as the file's suffix says.
Result<void> write_picture(const std::string& path, const std::string& svg);

}  // namespace rooftile::cli
