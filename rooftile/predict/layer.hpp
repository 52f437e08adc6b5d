// What the estimates of all kinds of layers share.
#pragma once

#include <string>
#include <string_view>

#include "rooftile/ops/work.hpp"
#include "rooftile/predict/known_products.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

// A layer that takes no time yet.
LayerEstimate empty_layer(std::string_view op, Method method);

// What the kind calls the function it computes; empty where it has only one.
std::string function_of(const OpKind& kind);

// Adds what `count` equal kernels move and take; the first leaves them out of the breakdown.
void add_totals(LayerEstimate& layer, const KernelEstimate& kernel);
void add_totals(LayerEstimate& layer, const KernelNumbers& kernel, double count);  // so many alike
void add_kernel(LayerEstimate& layer, const KernelEstimate& kernel);

// Compulsory traffic at every level.
Traffic compulsory_traffic(const OperandBytes& bytes);

// The roofline's estimate of a layer whose flops are counted already, at the peak of the precision, or at that of FP32
// where the GPU has none.
void add_roofline(LayerEstimate& layer, const OperandBytes& bytes, const Gpu& gpu, DType precision);

}  // namespace rooftile
