// The two studies of the time-based Roofline (arXiv 2009.04598): a convolution and an LSTM layer with one dimension
// varied at a time, predicted, with measured rows of the same dimensions beside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/roofline/measured.hpp"
#include "rooftile/roofline/view.hpp"

namespace rooftile::roofline {

enum class Study { conv2d, lstm };
std::string_view name_of(Study study);
Result<Study> parse_study(std::string_view text);

// A kernel for each point of the sweeps, named by what it varies ("stride 1"); its layer is its dimensions, as a row of
// a layer table has them ("conv N=16 C=64 …"). conv2d: batch 16, 112 x 112 x 64, 64 filters of 3 x 3, stride 2, padded
// so that stride alone divides the output; then strides 1 to 3, batches to 64, filters of 7 x 7 and 9 x 9, up to 512 of
// them; for each pass of `phase`. lstm: batch 16, 16 steps, 32 features, 16 hidden; then each up to 128; forward only.
// Twice: "fused", a product and one kernel for the gates a step, and one product of the inputs of all steps; "unfused",
// 14 kernels a step: two products, their sum, the bias, three sigmoids, two tanh, three products and a sum of elements,
// a copy of the output. Errors: those of check(), a phase that the study does not have.
Result<View> study_view(Study study, const Gpu& gpu, const Roof& roof, const PredictOptions& options, Phase phase);

// Measured rows beside the points of the same dimensions and pass; of variants the one nearest in launches. FLOPs of a
// row without counters are those of its point. Rows without a point are left out and counted.
void add_measured_study(View& view, MeasuredKernels measured);

}  // namespace rooftile::roofline
