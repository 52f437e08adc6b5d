// The passes that a prompt takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"

namespace rooftile {

struct PromptPart {
  std::optional<std::int64_t> context = {};  // positions in the cache before it
  std::int64_t positions = 1;
  double times = 1;  // so many take as long in the mean
};

// All at once, but for llama.cpp. What a part takes grows evenly with what is cached: the first and the last of
// llama.cpp's stand for those between. `tokens` is 1 or more.
std::vector<PromptPart> prompt_parts(std::string_view framework, std::int64_t tokens);

// The times of all of llama.cpp's parts in turn, of which `predicted` has those of `parts`; of a long prompt, of fewer
// that grow alike.
std::vector<Seconds> part_times(std::span<const PromptPart> parts, std::span<const Seconds> predicted);

}  // namespace rooftile
