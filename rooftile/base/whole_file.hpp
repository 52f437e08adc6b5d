// Files that are there whole or not at all: written beside their place and renamed into it.
//
// Text that is ready:       write_whole_file(path, text)                    a report
//                           write_whole_file(path, text, Durability::disk)  a checkpoint, a measurement
// What comes piece by piece: create, write…, finish; a WholeFile that ends unfinished leaves nothing behind.
//   auto file = TRY(WholeFile::create(path));
//   TRY(file.write(rows));
//   return file.finish();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rooftile/base/direct_writer.hpp"
#include "rooftile/base/error.hpp"

namespace rooftile {

enum class Durability {
  cache,  // what is lost if the machine stops within seconds can be made again
  disk,   // the new content is on the disk before it replaces the old one
};

// A file that grows beside its place (".rooftile-XXXXXX", readable by the user alone) and is renamed into it when done,
// with the permissions of the file that it replaces, else those that the user's mask leaves. A link stays, and what it
// points to is replaced. Devices, pipes and anything under /dev (but /dev/shm) or /proc (/dev/stdout) are appended to
// as they are. Errors, here and below: what the operating system says, about the path as it was given.
class WholeFile {
 public:
  static Result<WholeFile> create(const std::string& path);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&& other) noexcept;
  ~WholeFile();

  // A full disk may only show in a later call: bytes are collected into pieces.
  Result<void> write(std::string_view bytes);
  std::uint64_t bytes() const { return written_; }  // so far
  // Puts the file in its place. Nothing can be written after that, whether or not it worked.
  Result<void> finish(Durability durability = Durability::cache);

 private:
  explicit WholeFile(std::string path) : path_(std::move(path)) {}
  Result<void> failed(int error) const;
  int settle(Durability durability);

  std::string path_;       // as it was given
  std::string target_;     // what it leads to; empty: written in place
  std::string temporary_;  // empty: there is none, or no longer
  int file_ = -1;
  std::uint64_t written_ = 0;  // bytes
  DirectWriter writer_;        // of a file beside its place
};

// The whole of `text`, with the signals that end a program held back meanwhile: a full disk or Ctrl-C leaves either the
// old file or the new one, and nothing beside it.
Result<void> write_whole_file(const std::string& path, std::string_view text,
                              Durability durability = Durability::cache);

}  // namespace rooftile
