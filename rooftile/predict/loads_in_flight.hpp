// What DRAM delivers to kernels that have too few loads under way.
#pragma once

#include "rooftile/ops/work.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/timing/gpu_rates.hpp"

namespace rooftile {

// Whether a product runs on llama.cpp's kernels for few rows, in which each thread has one load of four bytes under way
// and half of the 2,048 threads of an SM are resident (ggml-cuda/mmvq.cu, dmmv.cu).
bool has_few_loads(const Im2col& gemm, const PredictOptions& options);

// The rates of a GPU as such kernels see them: memory delivers no more than the bytes under way each latency. GDDR
// boards are read at full speed with less; the HBM of an A100 or an H100 is not. On lanes, the share of the bandwidth
// that cuBLAS's kernels reach (0.62 on a TITAN Xp) is not theirs: they read weights as a stream does.
GpuRates with_few_loads(GpuRates rates);

}  // namespace rooftile
