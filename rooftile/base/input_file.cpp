#include "rooftile/base/input_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

tl::unexpected<Error> system_error(const std::string& where) {
  return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, std::strerror(errno), where);
}

bool is_open_descriptor(std::string_view path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  if (path == "-") return InputFile(STDIN_FILENO, "standard input");
  // Without O_NONBLOCK a pipe that nobody writes to would block here.
  InputFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), path);
  if (file.descriptor_ < 0) return system_error(path);
  TRY(file.check_kind(is_open_descriptor(path)));
  return file;
}

Result<void> InputFile::check_kind(bool opened_by_shell) {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return system_error(name_);
  if (S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return {};
  }
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::io, "is a directory", name_);
  if (!S_ISFIFO(status.st_mode)) return fail(ErrorCode::io, "is a device, not a file", name_);
  if (!opened_by_shell) {
    return fail(ErrorCode::io, "is a pipe, not a file; give - and redirect it to standard input", name_);
  }
  if (::fcntl(descriptor_, F_SETFL, 0) != 0) return system_error(name_);
  return {};
}

Result<std::size_t> InputFile::read(char* bytes, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(descriptor_, bytes, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return system_error(name_);
  }
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)), size_(other.size_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  name_ = std::move(other.name_);
  size_ = other.size_;
  return *this;
}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

}  // namespace rooftile
