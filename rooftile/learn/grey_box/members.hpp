// What the grey box's value is a mean of: the physics, two corrections of it, and trees without any physics.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/learn/grey_box/grey_box.hpp"
#include "rooftile/regression/fitted_model.hpp"
#include "rooftile/regression/matrix.hpp"

namespace rooftile {

inline constexpr std::string_view kOtherGpus = ", other GPUs";  // of equations for GPUs that the fit had not

// By the names of their columns, in seconds.
inline constexpr std::array<std::string_view, 4> kMembers = {"physics_s", "ridge_s", "corrected_s", "trees_s"};
constexpr std::size_t kOwnMembers = kMembers.size(), kOtherMembers = 3;  // trees alone know nothing of other GPUs

// Whether there are rows enough to learn a correction from: 20, of two shapes at the least.
bool can_be_corrected(const GreyBoxRows& rows);

// Of the equations of one operation, for the GPUs of the fit (`own`) or for others.
struct MemberNames {
  std::string ridge, correction, trees, value;
  MemberNames(const std::string& operation, bool own);
};

// The equations of rows of one operation: the physics, then the others for the GPUs of the fit (`own`) and for other
// GPUs (`other`); with rows too few or alike, or without XGBoost, only some of them.
Result<std::vector<regression::FittedEquation>> fit_members(const GreyBoxRows& rows, bool own, bool other,
                                                            const GreyBoxOptions& options);

// The numbers of rows of one operation with a column for each member; those without an equation are the physics.
Result<regression::NumberTable> with_members(const std::vector<regression::FittedEquation>& equations,
                                             const GreyBoxRows& rows, bool own);

}  // namespace rooftile
