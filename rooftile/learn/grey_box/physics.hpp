// The grey box's physics: for each part (operation and phase) and GPU a sum of the terms of kPhysicsTerms with
// coefficients that are not negative.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/grey_box/rows.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile {

// Shares of the physics, relative to the machine like all that a correction for other GPUs may see.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShares = {
    {{"fwd_share", "fwd_s"},
     {"bwd_data_share", "bwd_data_s"},
     {"bwd_weight_share", "bwd_weight_s"},
     {"input_share", "input_s"},
     {"output_share", "output_s"},
     {"weights_share", "weights_s"},
     {"compute_share", "compute_s"}}};

// "physics conv step on t4".
std::string physics_name(const std::string& part, const std::string& gpu);

// One equation for each part and GPU of the rows, with the GPU's rates as ranges; where a part has few rows of a GPU,
// near what all parts together say. Rows of one operation, with a time.
Result<std::vector<regression::FittedEquation>> fit_physics(const GreyBoxRows& rows);

// Whether those of the equations that are physics are as fit_physics() makes them; a file may say anything.
Result<void> check_physics(const std::vector<regression::FittedEquation>& equations);

// Seconds, one a row: by the row's own GPU where there is an equation, else by all GPUs that have one of its part;
// without any, the analytic model's.
std::vector<double> physics_of(const std::vector<regression::FittedEquation>& equations, const GreyBoxRows& rows);

// The rows' numbers with the columns physics_s and kShares.
regression::NumberTable with_physics(const std::vector<regression::FittedEquation>& equations, const GreyBoxRows& rows);

}  // namespace rooftile
