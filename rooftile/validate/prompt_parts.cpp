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

double rounds_of_part(double gpus) {
  constexpr double kCopies = 4;
  return std::max(1.0, gpus / kCopies);
}

}  // namespace rooftile
