// --points and --draws of `rooftile fit`: how a model does with so many rows, over draws of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rooftile/cli/fit_models.hpp"

namespace rooftile::cli {

// Fills in what was given: numbers of rows up to `most`, and how often each is drawn. Errors: no such numbers.
Result<void> read_trial(const FitModelArguments& arguments, std::int64_t most, std::vector<std::size_t>& points,
                        std::size_t& draws);

}  // namespace rooftile::cli
