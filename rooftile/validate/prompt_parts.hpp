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

// Of several GPUs that have some of llama.cpp's layers each, all are at work on one part or another, until the last
// part goes through the rest of them (pull request 6017). No more than four parts are on their way
// (GGML_SCHED_MAX_COPIES). What a part that others follow takes, in times of a GPU's share of it; the last takes as
// many as there are GPUs.
double rounds_of_part(double gpus);

}  // namespace rooftile
