// Roofs from files: ceilings that somebody measured, instead of those of the catalogue (data/ceilings/).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/roofline/roof.hpp"

namespace rooftile::roofline {

// Names of the built-in files, sorted.
std::vector<std::string> ceilings_names();

// A file is written like one of a GPU and may hold any of its numbers; those of a roof count: peaks, bandwidths of the
// levels (of one SM for the L1, which needs core.sm_count), the launch overhead (`default_overhead` where it is not
// given). Nothing is derived. Errors: those of a GPU file, no peak, no bandwidth; `where` names the file.
Result<Roof> parse_ceilings(std::string_view toml, std::string_view where, Seconds default_overhead);

// `selector` is a built-in name or a path ending in ".toml".
Result<Roof> find_ceilings(const std::string& selector, Seconds default_overhead);

}  // namespace rooftile::roofline
