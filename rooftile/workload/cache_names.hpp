// How the caches of a transformer that writes no graph are named: the tensor "h/k/cache" and the op "h/k/append", which
// stores what is new in it.
#pragma once

#include <string_view>

namespace rooftile {

inline constexpr std::string_view kCacheSuffix = "/cache", kAppendSuffix = "/append";

}  // namespace rooftile
