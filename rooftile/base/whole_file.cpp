#include "rooftile/base/whole_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "rooftile/base/try.hpp"
#include "rooftile/base/write_all.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

// Holds back the signals that end a program while a temporary file exists.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

// The permissions of the file that is replaced, or what the user's mask leaves for a new one.
mode_t permissions(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
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

// Files of this process that are open already (/dev/stdout, /proc/self/fd/1), whatever they are; not shared memory.
bool names_a_stream(std::string_view path) {
  return (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) || path.starts_with("/proc/");
}

}  // namespace

WholeFile::WholeFile(WholeFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::exchange(other.file_, -1)),
      written_(other.written_),
      writer_(std::move(other.writer_)) {}

WholeFile& WholeFile::operator=(WholeFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(file_, other.file_);
  std::swap(written_, other.written_);
  std::swap(writer_, other.writer_);
  return *this;
}

WholeFile::~WholeFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> WholeFile::failed(int error) const { return fail(ErrorCode::io, std::strerror(error), path_); }

Result<WholeFile> WholeFile::create(const std::string& path) {
  WholeFile file(path);
  std::error_code error;
  const fs::path target = behind_links(path, error);
  if (error) return fail(ErrorCode::io, error.message(), path);
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) return fail(ErrorCode::io, "is a directory; name a file in it", path);
  const bool regular = fs::is_regular_file(status) || !fs::exists(status);
  if (regular && !names_a_stream(path)) {
    std::string temporary = (target.parent_path() / ".rooftile-XXXXXX").string();
    file.file_ = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (file.file_ >= 0) file.temporary_ = std::move(temporary);
    file.target_ = target.string();
  } else {
    file.file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  }
  if (file.file_ < 0) return tl::unexpected(file.failed(errno).error());
  return file;
}

Result<void> WholeFile::write(std::string_view bytes) {
  const int error = temporary_.empty() ? write_all(file_, bytes) : writer_.write(file_, bytes);
  if (error != 0) return failed(error);
  written_ += bytes.size();
  return {};
}

// The last bytes, permissions, disk, close, rename: 0 or the error number of the first that fails. Permissions come
// last before the rename, since writing takes a set-user-id bit away.
int WholeFile::settle(Durability durability) {
  const bool beside = !temporary_.empty();
  int error = beside ? writer_.finish(file_) : 0;
  if (error == 0 && beside && ::fchmod(file_, permissions(target_)) != 0) error = errno;
  if (error == 0 && beside && durability == Durability::disk && ::fdatasync(file_) != 0) error = errno;
  if (::close(std::exchange(file_, -1)) != 0 && error == 0) error = errno;
  if (error == 0 && beside && ::rename(temporary_.c_str(), target_.c_str()) != 0) error = errno;
  if (error == 0) temporary_.clear();
  return error;
}

Result<void> WholeFile::finish(Durability durability) {
  const int error = settle(durability);
  return error == 0 ? Result<void>() : failed(error);
}

Result<void> write_whole_file(const std::string& path, std::string_view text, Durability durability) {
  const SignalsHeld held;
  auto file = TRY(WholeFile::create(path));
  TRY(file.write(text));
  return file.finish(durability);
}

}  // namespace rooftile
