#include "rooftile/base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rooftile/base/lower_case.hpp"
#include "rooftile/base/one_line.hpp"

namespace rooftile {
int edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment over three rows.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int differs = lower_case(a[i - 1]) != lower_case(b[j - 1]) ? 1 : 0;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
      const bool swapped = i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
                           lower_case(a[i - 2]) == lower_case(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

namespace {

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.size() > beginning.size() && edit_distance(text.substr(0, beginning.size()), beginning) == 0;
}

// The shortest that begins with `wanted`: for "--batch" where nothing is as near as a slip of the keys.
std::string completed(std::string_view wanted, std::span<const std::string> candidates) {
  constexpr std::size_t kTelling = 3;  // fewer letters begin anything
  std::string found;
  if (wanted.size() < kTelling) return found;
  for (const std::string& candidate : candidates) {
    if (begins_with(candidate, wanted) && (found.empty() || candidate.size() < found.size())) found = candidate;
  }
  return found;
}

}  // namespace

std::string nearest(std::string_view wanted, std::span<const std::string> candidates) {
  // A hostile name of megabytes has no near neighbour and must not cost quadratic time.
  constexpr std::size_t kLongest = 64;
  if (wanted.size() > kLongest) return {};
  int best = 1 + static_cast<int>(wanted.size()) / 3;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const int distance = edit_distance(wanted, candidate);
    if (distance < best || (distance == best && found.empty())) {
      best = distance;
      found = candidate;
    }
  }
  return found.empty() ? completed(wanted, candidates) : found;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> candidates) {
  const std::string found = nearest(wanted, candidates);
  return found.empty() ? std::string() : "; did you mean '" + one_line(found) + "'?";
}

std::string one_of(std::string_view wanted, std::span<const std::string> candidates) {
  const std::string meant = did_you_mean(wanted, candidates);
  return fmt::format("{}{}", meant.empty() ? "; one of " : meant + " One of ", fmt::join(candidates, ", "));
}

}  // namespace rooftile
