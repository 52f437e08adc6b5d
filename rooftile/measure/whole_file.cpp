#include "rooftile/measure/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace rooftile::measure {
namespace {

// 0 or the error number.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fdatasync(file) == 0 ? 0 : errno;
}

}  // namespace

Result<void> write_whole_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".new";
  constexpr mode_t kMode = 0666;  // less what the user's mask takes
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (file < 0) return fail(ErrorCode::io, std::strerror(errno), path);
  int error = write_all(file, text);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return fail(ErrorCode::io, std::strerror(error), path);
}

}  // namespace rooftile::measure
