#include "rooftile/cli/output.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "rooftile/error/one_line.hpp"

namespace rooftile::cli {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> system_error(const std::string& path, int error) {
  return fail(ErrorCode::io, std::strerror(error), path);
}

// 0 or the error number.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Holds back the signals that end a program while a temporary file exists.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

Result<void> write_directly(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return system_error(path, errno);
  int error = write_all(file, text);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error != 0) return system_error(path, error);
  return {};
}

// The permissions of the file that is replaced, or what the user's mask leaves for a new one.
mode_t permissions(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

Result<void> replace(const std::string& path, std::string_view text) {
  const SignalsHeld held;
  std::string temporary = (fs::path(path).parent_path() / ".rooftile-XXXXXX").string();
  const mode_t mode = permissions(path);
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return system_error(path, errno);
  int error = write_all(file, text);
  if (error == 0 && ::fchmod(file, mode) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return system_error(path, error);
}

// What a chain of links ends at, whether or not that exists.
fs::path behind_links(fs::path path, std::error_code& error) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code ignored;
    if (!fs::is_symlink(fs::symlink_status(path, ignored))) return path;
    const fs::path next = fs::read_symlink(path, error);
    if (error) return {};
    path = path.parent_path() / next;  // an absolute link replaces the whole
  }
  error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  return {};
}

// Files of this process that are open already (/dev/stdout, /proc/self/fd/1), whatever they are.
bool names_a_stream(std::string_view path) { return path.starts_with("/dev/") || path.starts_with("/proc/"); }

}  // namespace

void write_error(std::string_view text) {
  constexpr std::size_t kLongest = 1000;
  const std::string line = "rooftile: " + one_line(text, kLongest) + "\n";
  write_all(STDERR_FILENO, line);
}

void report_file_size_limit() { std::signal(SIGXFSZ, SIG_IGN); }

Result<void> write_output(const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    const int error = write_all(STDOUT_FILENO, text);
    return error == 0 ? Result<void>() : system_error("standard output", error);
  }
  std::error_code error;
  const fs::path target = behind_links(path, error);
  if (error) return fail(ErrorCode::io, error.message(), path);
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) return fail(ErrorCode::io, "is a directory; name a file in it", path);
  const bool regular = fs::is_regular_file(status) || !fs::exists(status);
  Result<void> result = regular && !names_a_stream(path) ? replace(target.string(), text) : write_directly(path, text);
  if (!result) result.error().where = path;
  return result;
}

}  // namespace rooftile::cli
