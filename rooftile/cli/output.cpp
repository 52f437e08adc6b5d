#include "rooftile/cli/output.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

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
  sigset_t before_;
};

Result<void> write_directly(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
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
  std::string temporary = path + ".XXXXXX";
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

}  // namespace

void report_file_size_limit() { std::signal(SIGXFSZ, SIG_IGN); }

Result<void> write_output(const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    const int error = write_all(STDOUT_FILENO, text);
    return error == 0 ? Result<void>() : system_error("standard output", error);
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return fail(ErrorCode::io, "is a directory; name a file in it", path);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_directly(path, text);
  // A link keeps pointing where it points: its target is what gets replaced.
  if (!fs::is_symlink(fs::symlink_status(path, ignored))) return replace(path, text);
  return replace(fs::weakly_canonical(path, ignored).string(), text);
}

}  // namespace rooftile::cli
