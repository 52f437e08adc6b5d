// The files of data/gpus, built into the library. write_texts.cmake writes the definition at build time.
#pragma once

#include <span>
#include <string_view>

namespace rooftile {

struct EmbeddedText {
  std::string_view path;  // "nvidia/titan-xp.toml", "architectures/volta.toml"
  std::string_view text;
};

// Sorted by path.
std::span<const EmbeddedText> embedded_gpu_files();

}  // namespace rooftile
