// The ways MIOpen could run a convolution on a GPU of AMD: which kinds of kernels it has for a precision, a pass and a
// shape there, each with its tiles and splits.
#pragma once

#include "rooftile/plan/candidates.hpp"

namespace rooftile {

// Calls `visit` with every plan that `options` leave open and that could be the fastest; at least one. An algorithm of
// the options that MIOpen has not for the shape leaves all plans, and so does "direct".
void each_miopen_plan(const OpShape& op, const Gpu& gpu, const PlanOptions& options, const VisitPlan& visit);

}  // namespace rooftile
