// The kernels of an operator as a timeline shows them: when nothing but their times is asked for, nobody makes them.
#pragma once

#include <string>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile {

struct PassKernel {
  std::string name;  // "attention/query bf16", with the type where tensor cores multiply
  Seconds time;
  double launches = 1;
  Flops flops;
  Bytes dram = {};               // loads and stores
  bool tensor = false;           // its FLOPs are those of tensor cores
  double ctas = 0, threads = 0;  // of the grid; of a CTA; 0: not known
};

// What an estimate launches, one after another: times, FLOPs and bytes add up to those of the layer. Kernels of a layer
// share its FLOPs as they share its multiplications, or else its time.
std::vector<PassKernel> pass_kernels(const LayerEstimate& layer, DType precision, const Gpu& gpu);

}  // namespace rooftile
