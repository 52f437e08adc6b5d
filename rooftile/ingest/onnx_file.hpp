// The bytes of a file without reading them: mapped into memory, so that only what is looked at costs anything.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"

namespace rooftile {

class FileBytes {
 public:
  // "-" is standard input. What cannot be mapped (a pipe) is read, up to 2 GiB. Errors: those of InputFile::open(),
  // larger than 64 GiB, empty.
  static Result<FileBytes> open(const std::string& path);

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&&) = delete;
  ~FileBytes();

  std::string_view bytes() const { return mapping_ ? std::string_view(mapping_, size_) : std::string_view(read_); }

 private:
  FileBytes() = default;

  const char* mapping_ = nullptr;
  std::size_t size_ = 0;
  std::string read_;
};

}  // namespace rooftile
