// Long files to the disk without a copy in the system's cache of files.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace rooftile {

// Collects bytes into pieces of a megabyte and writes each past the cache (O_DIRECT) where the file's system can
// do that: gigabytes of rows then neither push other files out of memory nor cost a copy. A file shorter than a piece
// is written in one call, as any other.
class DirectWriter {
 public:
  // To the open descriptor `file`, from its end. 0 or the error number, here and below.
  int write(int file, std::string_view bytes);
  // What is collected; nothing is written after it.
  int finish(int file);

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  int write_piece(int file);

  std::unique_ptr<char, Free> piece_;  // aligned
  std::size_t used_ = 0;
  bool direct_ = true;  // false once the system has refused
};

}  // namespace rooftile
