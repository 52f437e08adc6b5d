// The constants of the cost model that no source gives, fitted to public die areas and board powers.
#pragma once

#include <span>
#include <string_view>

#include "rooftile/cost/cost_data.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile {

// `table.area` with its four fitted constants (lane, SM, tensor MAC, fixed) such that the relative errors of the areas
// of the chips with `fit` have the least squares; those of one generation are left out where it is named.
AreaCosts fit_area(const CostTable& table, std::string_view without_generation = {});

// pJ of a tensor core's FP16 multiply-accumulate such that the predicted powers of those GPUs that have tensor cores
// and stacked memory meet their TDPs in the geometric mean; those of one architecture are left out where it is named.
// The present constant where no GPU is left.
double fit_tensor_mac_pj(const CostTable& table, std::span<const Gpu> gpus, std::string_view without_architecture = {});

}  // namespace rooftile
