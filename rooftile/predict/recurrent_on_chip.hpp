// Which recurrent layers a library has persistent kernels for: one kernel for all steps, with the weights in registers
// (docs/theory/recurrent.md).
#pragma once

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/op.hpp"

namespace rooftile {

// cuDNN's, where PyTorch asks for them (use_rnn_persist_small_h, use_persist_common_heuristics and
// use_persist_device_heuristics of aten/src/ATen/native/cudnn/RNN.cpp). Not for a framework that is named, unless it is
// PyTorch 2: no measured row of another shows one.
bool keeps_weights_on_chip(const Recurrent& recurrent, const Gpu& gpu, const PredictOptions& options);

}  // namespace rooftile
