#include "rooftile/ingest/onnx_file.hpp"

#include <sys/mman.h>
#include <utility>

#include "rooftile/base/input_file.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile {
namespace {

constexpr std::size_t kGibi = std::size_t{1} << 30;
constexpr std::size_t kMaxRead = 2 * kGibi;  // of what cannot be mapped
constexpr std::size_t kMaxMapped =
    64 * kGibi;  // a protobuf ends at 2 GiB, and larger models keep their weights beside it

Result<std::string> read_all(InputFile& file) {
  std::string content;
  std::string chunk(std::size_t{1} << 20, '\0');
  while (const std::size_t got = TRY(file.read(chunk.data(), chunk.size()))) {
    content.append(chunk, 0, got);
    // No protobuf starts with a zero byte: /dev/zero ends here.
    if (content.front() == '\0') return fail(ErrorCode::bad_input, "not an ONNX file", file.name());
    if (content.size() > kMaxRead)
      return fail(ErrorCode::bad_input, "more than 2 GiB; give the file by its name", file.name());
  }
  return content;
}

}  // namespace

Result<FileBytes> FileBytes::open(const std::string& path) {
  InputFile file = TRY(InputFile::open(path));
  if (file.size() > kMaxMapped) return fail(ErrorCode::io, "larger than 64 GiB", file.name());
  FileBytes result;
  if (file.size() > 0) {
    result.size_ = file.size();
    void* mapping = ::mmap(nullptr, result.size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (mapping != MAP_FAILED) {
      ::madvise(mapping, result.size_, MADV_RANDOM);  // weights are jumped over: no reading ahead
      result.mapping_ = static_cast<const char*>(mapping);
    }
  }
  if (!result.mapping_) result.read_ = TRY(read_all(file));
  if (result.bytes().empty()) return fail(ErrorCode::bad_input, "the file is empty", file.name());
  return result;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), size_(other.size_), read_(std::move(other.read_)) {}

FileBytes::~FileBytes() {
  if (mapping_) ::munmap(const_cast<char*>(mapping_), size_);
}

}  // namespace rooftile
