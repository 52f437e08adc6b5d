// Rows of a GPU with made times, for tests of calibrations from a few of them.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/learn/factors/few_points.hpp"

namespace rooftile {

// Convolutions and GEMMs of many sizes on a GPU, without times, of a framework that constants know or, empty, of none.
inline LayerTable shapes(const std::string& gpu, const std::string& framework = "PyTorch") {
  std::string csv = "op,gpu,framework,N,C,H,W,K,R,S,pad_h,pad_w,stride_h,stride_w,M,time_us\n";
  for (const int channels : {32, 64, 128, 256, 512}) {
    for (const int size : {7, 14, 28, 56}) {
      for (const int batch : {4, 32}) {
        csv += fmt::format("conv,{},{},{},{},{},{},{},3,3,1,1,1,1,,1\n", gpu, framework, batch, channels, size, size,
                           channels);
      }
      csv += fmt::format("gemm,{},{},{},,,,{},,,,,,,{},1\n", gpu, framework, 16 * size, 8 * channels, 4 * channels);
    }
  }
  return *parse_layer_table(csv, "t.csv", {.measurements = true});
}

// The rows of `table` with the times of `truth`, each off by its own draw of a deviation `noise`.
inline std::vector<Point> made(const LayerTable& table, const FactorLogs& truth, double noise = 0) {
  FactorModel model(builtin_calibration(), table.rows.front().gpu);
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
  std::vector<Point> points;
  for (const LayerRow& row : table.rows) {
    const Seconds time = *model.time(row, truth);
    points.push_back({&row, noise > 0 ? time * std::exp(normal(random)) : time});
  }
  return points;
}

}  // namespace rooftile
