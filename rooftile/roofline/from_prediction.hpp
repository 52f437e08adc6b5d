// Predictions as kernels of a roofline.
//
//     #include "rooftile/gpu/catalogue.hpp"
//     #include "rooftile/ingest/model.hpp"
//     #include "rooftile/predict/predict.hpp"
//
//     const Gpu gpu = find_gpu("v100-sxm2-16gb").value();
//     const Prediction prediction = predict(load_model("resnet50").value(), gpu).value();
//     const roofline::View view = roofline::view_of(prediction, gpu, roofline::roof_of(gpu));
//     assert(!view.kernels.empty());
#pragma once

#include <vector>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/roofline/kernel.hpp"
#include "rooftile/roofline/roof.hpp"
#include "rooftile/roofline/view.hpp"

namespace rooftile::roofline {

// The unit that does most of a layer's arithmetic at a precision: tensor cores where products run on them, FP32 lanes
// for operators that stream, and where the GPU has no unit for the precision.
Peak unit_of(const LayerEstimate& layer, DType precision, const Gpu& gpu);

// FLOPs that the chosen algorithm executes: Winograd and FFT do fewer than the textbook counts.
Flops executed_flops(const LayerEstimate& layer);

// A layer that takes time; bytes at a level are its loads there and its stores, which pass every level once.
Kernel kernel_of(const LayerEstimate& layer, DType precision, const Gpu& gpu, const Roof& roof);

// The layers that take time, in their order.
std::vector<Kernel> kernels_of(const Prediction& prediction, const Gpu& gpu, const Roof& roof);

// A view of a prediction alone.
View view_of(const Prediction& prediction, const Gpu& gpu, const Roof& roof);

}  // namespace rooftile::roofline
