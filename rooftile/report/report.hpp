// Finished results as text, JSON and CSV: each report is a function over the same objects, so that they cannot
// disagree. Equal input gives equal bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/prediction.hpp"

namespace rooftile {

struct TableOptions {
  bool all_layers = false;  // every layer in its order, not the ten slowest
};

// A page to read at a glance: time, throughput, memory, the share of each bottleneck, the slowest layers, what is not
// modelled.
std::string table_report(const Prediction& prediction, const TableOptions& options = {});

// "rooftile/prediction/1": an object for one prediction, an array for several. Schema: data/schema/prediction-1.json.
std::string json_report(std::span<const Prediction> predictions);

// One row a layer, the names of the JSON flattened with dots.
std::string csv_report(std::span<const Prediction> predictions);

// Every number behind one layer's time, equation by equation, and where the GPU's numbers come from. `options` are
// those of the prediction.
std::string explain_report(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options = {});

// Two predictions side by side, from their JSON: totals, then the layers by how much they changed. `where` names each
// in errors and in the report.
Result<std::string> diff_report(std::string_view json_a, std::string_view where_a, std::string_view json_b,
                                std::string_view where_b);

// How many layers of each kind are predicted by which method, their share of the arithmetic, and what is left out.
std::string support_report(const Prediction& prediction);

// The layers of a network, their outputs and arithmetic.
std::string workload_table(const Workload& workload);

// Every GPU in a line; every fact of one GPU with its source.
std::string gpus_table(std::span<const Gpu> gpus);
std::string gpu_table(const Gpu& gpu);
std::string gpus_json(std::span<const Gpu> gpus);

}  // namespace rooftile
