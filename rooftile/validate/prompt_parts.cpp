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

std::vector<Seconds> part_times(std::span<const PromptPart> parts, std::span<const Seconds> predicted) {
  constexpr double kMost = 256;
  std::vector<Seconds> times;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    times.push_back(predicted[i]);
    if (i + 1 == parts.size()) break;
    const double apart = static_cast<double>(*parts[i + 1].context - parts[i].context.value_or(0)) / kLlamaCppPart;
    const double step = std::max(1.0, apart / kMost);
    for (double k = step; k < apart; k += step) {
      times.push_back(predicted[i] + (predicted[i + 1] - predicted[i]) * (k / apart));
    }
  }
  return times;
}

}  // namespace rooftile
