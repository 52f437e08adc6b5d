// Random layers and GPUs for rapidcheck properties. Call from inside a property.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile::property {

const PredictOptions kDelta = {.method = Method::delta};

inline std::int64_t between(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most + 1);
}

// 2^-x to 2^x times.
inline double factor(std::int64_t x) { return std::exp2(static_cast<double>(between(-8 * x, 8 * x)) / 8); }

// A factor above 1.
inline double speedup() { return std::exp2(static_cast<double>(between(1, 40)) / 8); }

inline ConvAxis random_axis(bool transposed) {
  ConvAxis axis = {.in = between(1, 80),
                   .filter = between(1, 7),
                   .stride = between(1, 5),
                   .dilation = between(1, 3),
                   .pad_begin = between(0, 4),
                   .pad_end = between(0, 4)};
  if (transposed) axis.output_padding = between(0, std::max(axis.stride, axis.dilation) - 1);
  return axis;
}

// 1-D, 2-D or 3-D, any stride, dilation, padding and grouping, with at least one output.
inline Conv random_conv(bool may_be_transposed = true) {
  Conv conv;
  conv.batch = between(1, 300);
  conv.groups = *rc::gen::element<std::int64_t>(1, 1, 1, 2, 5, 32);
  conv.in_channels = conv.groups * between(1, 300);
  conv.out_channels = conv.groups * between(1, 600);
  conv.transposed = may_be_transposed && between(0, 3) == 0;
  for (std::size_t i = static_cast<std::size_t>(between(0, 2)); i < conv.axes.size(); ++i) {
    conv.axes[i] = random_axis(conv.transposed);
  }
  if (between(0, 2) == 0) {
    for (ConvAxis& axis : conv.axes) axis = ConvAxis{.in = axis.in, .stride = axis.stride};  // pointwise
  }
  RC_PRE(check(conv).has_value());
  return conv;
}

// Any numbers that check() lets through, up to the largest.
inline Conv extreme_conv() {
  const auto number = [](int most) { return between(1, 3) + (std::int64_t{1} << between(0, most)) - 1; };
  Conv conv;
  conv.batch = number(30);
  conv.groups = number(4);
  conv.in_channels = conv.groups * number(20);
  conv.out_channels = conv.groups * number(20);
  conv.transposed = between(0, 3) == 0;
  const int stride = conv.transposed ? 11 : 30;
  for (ConvAxis& axis : conv.axes) {
    if (between(0, 1) == 0) continue;
    axis = {.in = number(30), .filter = number(20), .stride = number(stride), .dilation = number(8)};
    axis.pad_begin = between(0, 1) * number(30);
    axis.pad_end = between(0, 1) * number(30);
  }
  RC_PRE(check(conv).has_value());
  return conv;
}

inline Gemm random_gemm() {
  return {.batch = between(1, 20), .m = between(1, 3000), .n = between(1, 3000), .k = between(1, 3000)};
}

// A GPU of the catalogue, each of its numbers multiplied by 1/8 to 8.
inline Gpu random_gpu() {
  static const std::vector<Gpu> catalogue = [] {
    std::vector<Gpu> gpus;
    for (const std::string& id : gpu_ids()) {
      gpus.push_back(find_gpu(id).value());
      gpus.back().facts.clear();  // many, and nothing here reads them
    }
    return gpus;
  }();
  Gpu gpu = catalogue[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(catalogue.size()) - 1))];
  gpu.sm_count = std::ceil(gpu.sm_count * factor(3));
  gpu.clock *= factor(3);
  for (FlopsPerSecond& peak : gpu.peaks) peak *= factor(3);
  gpu.sm.registers = std::ceil(gpu.sm.registers * factor(2));
  gpu.sm.smem *= factor(3);
  gpu.smem_load_bandwidth *= factor(3);
  gpu.smem_store_bandwidth *= factor(3);
  gpu.smem_latency *= factor(3);
  gpu.l1_request = Bytes(static_cast<double>(*rc::gen::element(32, 64, 128)));
  gpu.launch_overhead *= factor(3);
  for (MemoryLevel& level : gpu.levels) {
    level.bandwidth *= factor(3);
    level.latency *= factor(3);
  }
  return gpu;
}

}  // namespace rooftile::property
