// A folder of its own for files that are not to stay.
#pragma once

#include <string>

namespace rooftile {

// Exists as long as the object does, with whatever is put into it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool exists() const { return !path_.empty(); }  // else errno says why not
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace rooftile
