// Reports as one self-contained HTML file: charts to point at, bars, the table with the data. It opens from disk and
// asks the network for nothing (docs/pages.md). Equal input gives equal bytes.
#pragma once

#include <span>
#include <string>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/roofline/view.hpp"

namespace rooftile {

// Predicted layers, measured kernels, or both with what to fix first. Names may hold any bytes.
std::string roofline_page(const roofline::View& view);

// Predictions, each on the GPU at its place, with a chooser where there are several. One or more.
std::string prediction_page(std::span<const Prediction> predictions, std::span<const Gpu> gpus);

}  // namespace rooftile
