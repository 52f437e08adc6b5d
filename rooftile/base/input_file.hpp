// Opens for reading what a person or a file names. Regular files alone: a device or a pipe may never end, or never
// begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "rooftile/base/error.hpp"

namespace rooftile {

class InputFile {
 public:
  // "-" is standard input, whatever that is. A pipe that the shell has opened for the program is taken, too
  // (/dev/stdin; /dev/fd/63 of "<(command)"). Errors: missing, a directory, a device, a pipe, unreadable.
  static Result<InputFile> open(const std::string& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  // As errors call it.
  const std::string& name() const { return name_; }
  // In bytes; 0 where nobody knows.
  std::uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

  // At most `size` bytes, none at the end alone.
  Result<std::size_t> read(char* bytes, std::size_t size);

 private:
  InputFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  Result<void> check_kind(bool opened_by_shell);

  int descriptor_;
  std::string name_;
  std::uint64_t size_ = 0;
};

}  // namespace rooftile
