#include "rooftile/base/scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace rooftile {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  path_ = (std::filesystem::temp_directory_path(error) / "rooftile-XXXXXX").string();
  if (error || ::mkdtemp(path_.data()) == nullptr) path_.clear();
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (exists()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace rooftile
