// A text file that the build puts into the library (cmake/embed_texts.cmake).
#pragma once

#include <string_view>

namespace rooftile {

struct EmbeddedText {
  std::string_view path;  // below the embedded folder: "nvidia/titan-xp.toml"
  std::string_view text;
};

}  // namespace rooftile
