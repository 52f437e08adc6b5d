// Results of an exploration as bytes, for another machine or another day; read back, they are the same to the bit.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/explore/bytes.hpp"
#include "rooftile/explore/results.hpp"
#include "rooftile/explore/space.hpp"

namespace rooftile {

std::string results_bytes(const ExploreResults& results);

// Results of some designs of this space, kept as `options` say. Errors: bytes that are not those of such.
Result<ExploreResults> read_results(std::string_view bytes, const DesignSpace& space, const ResultOptions& options);

}  // namespace rooftile
