#include "rooftile/ingest/onnx_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kMaxRead = std::size_t{2} << 30;  // of what cannot be mapped

// A file descriptor that closes itself; standard input stays open.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDIN_FILENO) ::close(number);
  }
};

tl::unexpected<Error> system_error(const std::string& where) {
  return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, std::strerror(errno), where);
}

Result<std::string> read_all(int descriptor, const std::string& where) {
  std::string content;
  std::string chunk(std::size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(where);
    if (got == 0) return content;
    content.append(chunk.data(), static_cast<std::size_t>(got));
    // No protobuf starts with a zero byte: /dev/zero ends here.
    if (content.front() == '\0') return fail(ErrorCode::bad_input, "this is no ONNX file", where);
    if (content.size() > kMaxRead)
      return fail(ErrorCode::bad_input, "more than 2 GiB; give the file by its name", where);
  }
}

}  // namespace

Result<FileBytes> FileBytes::open(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string where = standard_input ? "standard input" : path;
  const Descriptor file{standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status {};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) return system_error(where);
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::io, "is a directory", where);

  FileBytes result;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    result.size_ = static_cast<std::size_t>(status.st_size);
    void* mapping = ::mmap(nullptr, result.size_, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (mapping != MAP_FAILED) {
      ::madvise(mapping, result.size_, MADV_RANDOM);  // weights are jumped over: no reading ahead
      result.mapping_ = static_cast<const char*>(mapping);
    }
  }
  if (!result.mapping_) {
    auto content = TRY(read_all(file.number, where));
    result.read_ = std::move(content);
  }
  if (result.bytes().empty()) return fail(ErrorCode::bad_input, "is empty", where);
  return result;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), size_(other.size_), read_(std::move(other.read_)) {}

FileBytes::~FileBytes() {
  if (mapping_) ::munmap(const_cast<char*>(mapping_), size_);
}

}  // namespace rooftile
