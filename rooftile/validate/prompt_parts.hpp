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

// When the last of `parts` enters the first of several GPUs that have some of llama.cpp's layers each, in times of a
// GPU's share of a part: it then goes through all of them. Parts follow one another (pull request 6017), but no more
// than four are in flight (GGML_SCHED_MAX_COPIES): the fifth enters when the first has left. `parts` and `gpus` are 1
// or more.
double last_part_enters(std::int64_t parts, std::int64_t gpus);

}  // namespace rooftile
