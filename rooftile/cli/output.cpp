#include "rooftile/cli/output.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "rooftile/base/escaped.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/whole_file.hpp"
#include "rooftile/base/write_all.hpp"
#include "rooftile/cli/format.hpp"
#include "rooftile/cli/status_line.hpp"

namespace rooftile::cli {

namespace fs = std::filesystem;

namespace {

std::atomic<bool> printed = false, filed = false;

}  // namespace

void write_error(std::string_view text) {
  constexpr std::size_t kLongest = 1000;
  clear_status();
  const std::string line = "rooftile: " + one_line(text, kLongest) + "\n";
  write_all(STDERR_FILENO, line);
}

void report_file_size_limit() { std::signal(SIGXFSZ, SIG_IGN); }

Result<void> prepare_folder(const std::string& folder, const std::string& option) {
  if (folder.empty()) return {};
  std::error_code error;
  if (looks_like_file(folder) && !fs::is_directory(folder, error)) {
    return fail(ErrorCode::usage,
                fmt::format("'{}' looks like a file; name a folder, as several files are written", one_line(folder)),
                option);
  }
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    return fail(ErrorCode::io, fmt::format("is not a folder; {} needs one, existing or new", option), folder);
  }
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::io, error.message(), folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return fail(ErrorCode::io, std::strerror(errno), folder);
  return {};
}

Result<void> write_bytes(const std::string& path, std::string_view bytes) {
  if (!path.empty() && path != "-") {
    TRY(write_whole_file(path, bytes));
    filed = true;
    return {};
  }
  printed = true;
  clear_status();
  const int error = write_all(STDOUT_FILENO, bytes);
  return error == 0 ? Result<void>() : fail(ErrorCode::io, std::strerror(error), "standard output");
}

bool printing_begun() { return printed; }

bool output_begun() { return printed || filed; }

Result<void> write_output(const std::string& path, std::string_view text) {
  if (!path.empty() && path != "-") return write_bytes(path, text);
  // In a pipe, bytes that are not UTF-8 may be a table in Latin-1; a terminal would take them as it likes.
  return write_bytes(path, escaped_lines(text, ::isatty(STDOUT_FILENO) == 1));
}

}  // namespace rooftile::cli
