#include "rooftile/cli/picture.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>

#include "rooftile/base/process.hpp"
#include "rooftile/base/scratch_folder.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/whole_file.hpp"
#include "rooftile/cli/output.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* kConverter = "rsvg-convert";

bool is_converted(Format format) { return format == Format::png || format == Format::pdf; }
Result<std::string> converted(const std::string& svg, Format format) {
  const ScratchFolder folder;
  if (!folder.exists()) return fail(ErrorCode::io, std::strerror(errno), "a temporary folder");
  const std::string from = folder.file("chart.svg"), to = folder.file("chart"), said = folder.file("said");
  TRY(write_whole_file(from, svg));
  // Two pixels a unit: letters stay sharp on a page or a screen of many dots.
  const int status =
      TRY(run_process({kConverter, "--format", name_of(format), "--zoom", format == Format::png ? "2" : "1",
                       "--background-color", "white", "--output", to, from},
                      said));
  if (status == 0) return read_text_file(to);
  return fail(ErrorCode::io, fmt::format("exit status {}: {}", status, read_text_file(said).value_or("")), kConverter);
}

}  // namespace

Result<void> check_converter(Format format) {
  if (!is_converted(format) || run_process({kConverter, "--version"}, "/dev/null")) return {};
  return fail(ErrorCode::unsupported,
              fmt::format("{} needs the program {}: install Debian's package librsvg2-bin, or write .svg",
                          name_of(format), kConverter));
}

Result<void> write_picture(const std::string& path, const std::string& svg, Format format) {
  if (!is_converted(format)) return write_output(path, svg);
  if ((path.empty() || path == "-") && ::isatty(STDOUT_FILENO) == 1) {
    return fail(ErrorCode::usage, fmt::format("{} is not for a terminal; name a file", name_of(format)), "-o");
  }
  return write_bytes(path, TRY(converted(svg, format)));
}

Result<void> write_picture(const std::string& path, const std::string& svg) {
  return write_picture(path, svg, TRY(picture_format("-o", path)));
}

}  // namespace rooftile::cli
