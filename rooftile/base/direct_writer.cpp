#include "rooftile/base/direct_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>
#include <utility>

#include "rooftile/base/write_all.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kAlignment = 4096;  // no disk has larger blocks

// Whether the system takes it.
bool set_direct(int file, bool on) {
  const int flags = ::fcntl(file, F_GETFL);
  return flags >= 0 && ::fcntl(file, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

}  // namespace

int DirectWriter::write(int file, std::string_view bytes) {
  if (piece_ == nullptr) piece_.reset(static_cast<char*>(std::aligned_alloc(kAlignment, kPiece)));
  if (piece_ == nullptr) throw std::bad_alloc();
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), kPiece - used_);
    std::memcpy(piece_.get() + used_, bytes.data(), size);
    used_ += size;
    bytes.remove_prefix(size);
    if (used_ < kPiece) continue;
    if (const int error = write_piece(file); error != 0) return error;
  }
  return 0;
}

int DirectWriter::write_piece(int file) {
  std::string_view rest(piece_.get(), used_);
  used_ = 0;
  direct_ = direct_ && set_direct(file, true);
  while (direct_ && !rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    // EINVAL: not on this system, or not from where a full disk cut the last write off.
    if (written < 0 && errno != EINVAL) return errno;
    if (written < 0) {
      direct_ = false;
    } else {
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  if (rest.empty()) return 0;
  set_direct(file, false);
  return write_all(file, rest);
}

int DirectWriter::finish(int file) {
  set_direct(file, false);  // the last piece has any length
  return write_all(file, {piece_.get(), std::exchange(used_, 0)});
}

}  // namespace rooftile
