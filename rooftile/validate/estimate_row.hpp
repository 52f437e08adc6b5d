// The prediction of one row of a layer table.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/layer_table.hpp"
#include "rooftile/predict/predict.hpp"

namespace rooftile {

// GPUs by the name that a row gives them (a catalogue id, a part of one, a path), each looked up once.
class GpuCache {
 public:
  // Errors: those of find_gpu().
  Result<const Gpu*> find(const std::string& name);

  // The same with its core clock no higher than a limit, if there is one.
  Result<const Gpu*> find(const std::string& name, std::optional<Hertz> limit);

  // From now on found by its id, whatever the catalogue has.
  void add(const Gpu& gpu);

 private:
  std::map<std::string, Result<Gpu>> gpus_;
  std::map<std::pair<std::string, double>, Gpu> limited_;
};

// What runs the row: its framework, and behind a slash the call where the row tells ("PyTorch/linear").
std::string framework_of(const LayerRow& row);

// `options` with the row's own precision and pass, and what the row knows of its framework and kernel.
PredictOptions options_of(const LayerRow& row, PredictOptions options);

// Error: the row's GPU is not known, or check() says no; `where` is the column that is to blame ("column gpu").
Result<LayerEstimate> estimate_row(const LayerRow& row, const PredictOptions& options, GpuCache& gpus);

}  // namespace rooftile
