#include "rooftile/validate/prompt_parts.hpp"

#include <algorithm>

#include "rooftile/execution/framework.hpp"
#include "rooftile/execution/llama_cpp.hpp"

namespace rooftile {

std::vector<PromptPart> prompt_parts(std::string_view framework, std::int64_t tokens) {
  constexpr std::int64_t kPart = kLlamaCppPart;
  if (!is_llama_cpp(framework) || tokens <= kPart) return {{.positions = tokens}};
  std::vector<PromptPart> parts = {{.positions = kPart}};
  const std::int64_t more = tokens / kPart - 1, rest = tokens % kPart;
  if (more == 1) parts.push_back({.context = kPart, .positions = kPart});
  if (more > 1) {
    const double half = static_cast<double>(more) / 2;
    parts.push_back({.context = kPart, .positions = kPart, .times = half});
    parts.push_back({.context = kPart * more, .positions = kPart, .times = half});
  }
  if (rest > 0) parts.push_back({.context = tokens - rest, .positions = rest});
  return parts;
}

double last_part_enters(std::int64_t parts, std::int64_t gpus) {
  constexpr std::int64_t kCopies = 4;
  const std::int64_t before = parts - 1;
  return static_cast<double>(before / kCopies * std::max(gpus, kCopies) + before % kCopies);
}

}  // namespace rooftile
