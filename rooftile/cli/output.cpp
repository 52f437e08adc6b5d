#include "rooftile/cli/output.hpp"

#include <csignal>
#include <cstring>
#include <unistd.h>

#include "rooftile/error/one_line.hpp"
#include "rooftile/files/whole_file.hpp"
#include "rooftile/files/write_all.hpp"

namespace rooftile::cli {

void write_error(std::string_view text) {
  constexpr std::size_t kLongest = 1000;
  const std::string line = "rooftile: " + one_line(text, kLongest) + "\n";
  write_all(STDERR_FILENO, line);
}

void report_file_size_limit() { std::signal(SIGXFSZ, SIG_IGN); }

Result<void> write_output(const std::string& path, std::string_view text) {
  if (!path.empty() && path != "-") return write_whole_file(path, text);
  const int error = write_all(STDOUT_FILENO, text);
  return error == 0 ? Result<void>() : fail(ErrorCode::io, std::strerror(error), "standard output");
}

}  // namespace rooftile::cli
