// The passes that a prompt takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rooftile {

struct PromptPart {
  std::optional<std::int64_t> context = {};  // positions in the cache before it
  std::int64_t positions = 1;
  double times = 1;  // so many take as long in the mean
};

// All at once, but for llama.cpp. What a part takes grows evenly with what is cached: the first and the last of
// llama.cpp's stand for those between. `tokens` is 1 or more.
std::vector<PromptPart> prompt_parts(std::string_view framework, std::int64_t tokens);

}  // namespace rooftile
