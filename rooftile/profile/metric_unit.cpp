#include "rooftile/profile/metric_unit.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace rooftile::profile {
namespace {

constexpr std::array<std::pair<char, double>, 5> kLargePrefixes = {
    {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};
constexpr std::array<std::pair<char, double>, 4> kSmallPrefixes = {
    {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'p', 1e-12}}};

template <std::size_t N>
double factor_of(char prefix, const std::array<std::pair<char, double>, N>& prefixes) {
  const auto* const found =
      std::find_if(prefixes.begin(), prefixes.end(), [&](const auto& p) { return p.first == prefix; });
  return found == prefixes.end() ? 0 : found->second;
}

// Of one word, without "/".
double word_factor(std::string_view word) {
  if (word.size() < 2) return 1;
  const std::string_view rest = word.substr(1);
  const bool second = rest == "second" || rest == "s" || rest == "sec";
  const double small = factor_of(word[0], kSmallPrefixes);
  if (second && small > 0) return small;
  const double large = factor_of(word[0], kLargePrefixes);
  return large > 0 && std::isalpha(static_cast<unsigned char>(rest[0])) != 0 ? large : 1;
}

}  // namespace

double unit_factor(std::string_view unit) {
  const std::size_t slash = unit.find('/');
  const double above = word_factor(unit.substr(0, slash));
  return slash == std::string_view::npos ? above : above / word_factor(unit.substr(slash + 1));
}

}  // namespace rooftile::profile
