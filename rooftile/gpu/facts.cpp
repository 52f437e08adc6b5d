#include "rooftile/gpu/facts.hpp"

#include <algorithm>

#include "rooftile/base/parse_number.hpp"

namespace rooftile {

const Fact* find_fact(const Gpu& gpu, std::string_view key) {
  const auto found =
      std::find_if(gpu.facts.begin(), gpu.facts.end(), [&](const Fact& fact) { return fact.key == key; });
  return found == gpu.facts.end() ? nullptr : &*found;
}

double generation_of(const Gpu& gpu) {
  constexpr double kAmpere = 8;
  const Fact* fact = find_fact(gpu, "core.generation");
  return fact == nullptr ? kAmpere : parse_number(fact->text).value_or(kAmpere);
}

}  // namespace rooftile
