#include "rooftile/gpu/facts.hpp"

#include <algorithm>

namespace rooftile {

const Fact* find_fact(const Gpu& gpu, std::string_view key) {
  const auto found =
      std::find_if(gpu.facts.begin(), gpu.facts.end(), [&](const Fact& fact) { return fact.key == key; });
  return found == gpu.facts.end() ? nullptr : &*found;
}

}  // namespace rooftile
