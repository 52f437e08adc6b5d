// Whose intervals hold for a GPU that no entry was fitted on: those of GPUs of its vendor that compute with the same
// unit.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/calibration/constants.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// As ForeignSpread::vendor names it: the vendor, or, where kernels of a family are others on GPUs without matrix cores,
// the vendor and "lanes".
std::string spread_scope(KernelFamily family, const Gpu& gpu);

// The vendor of a scope.
std::string_view vendor_of(std::string_view spread_scope);

}  // namespace rooftile
