// Finished results as text, JSON and CSV: each report is a function over the same objects, so that they cannot
// disagree. Equal input gives equal bytes.
//
//     #include "rooftile/gpu/catalogue.hpp"
//     #include "rooftile/ingest/model.hpp"
//
//     const Prediction prediction = predict(load_model("alexnet").value(), find_gpu("t4").value()).value();
//     assert(table_report(prediction).find("alexnet") != std::string::npos);
//     assert(json_report({&prediction, 1}).find("rooftile/prediction/1") != std::string::npos);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct TableOptions {
  bool all_layers = false;                         // every layer in its order, not the ten slowest
  const Gpu* gpu = nullptr;                        // that of the prediction: whether the network fits into its memory
  std::optional<std::int64_t> fitting_batch = {};  // the largest that does, where this one does not; 0: none
};

// A page to read at a glance: time, throughput, memory, the share of each bottleneck, the slowest layers, what is not
// modelled.
std::string table_report(const Prediction& prediction, const TableOptions& options = {}, std::size_t width = kAnyWidth);

// "rooftile/prediction/1": an object for one prediction, an array for several. Schema: data/schema/prediction-1.json.
// `gpus`: those of the predictions, in their order, or none.
std::string json_report(std::span<const Prediction> predictions, std::span<const Gpu> gpus = {});

// One row a layer, the names of the JSON flattened with dots.
std::string csv_report(std::span<const Prediction> predictions);

// Every number behind one layer's time, equation by equation, and where the GPU's numbers come from. `options` are
// those of the prediction.
std::string explain_report(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options = {});

// Two predictions side by side, from their JSON: totals, then the layers by how much they changed. `where` names each
// in errors and in the report.
Result<std::string> diff_report(std::string_view json_a, std::string_view where_a, std::string_view json_b,
                                std::string_view where_b, std::size_t width = kAnyWidth);

// How many layers of each kind are predicted by which method, their share of the arithmetic, and what is left out.
std::string support_report(const Prediction& prediction, std::size_t width = kAnyWidth);
std::string support_csv(std::span<const LayerEstimate> layers, const std::vector<Skipped>& unsupported);
// "rooftile/support/1"; without layers nothing can be predicted.
std::string support_json(std::string_view model, std::span<const LayerEstimate> layers,
                         const std::vector<Skipped>& unsupported);

// The networks that come with the program.
std::string models_csv(std::span<const ModelName> models);
std::string models_json(std::span<const ModelName> models);

// The layers of a network, their outputs and arithmetic.
std::string workload_table(const Workload& workload, std::size_t width = kAnyWidth);
std::string workload_csv(const Workload& workload);

// Every GPU in a line; every fact of one GPU with its source.
std::string gpus_table(std::span<const Gpu> gpus, std::size_t width = kAnyWidth);
std::string gpus_csv(std::span<const Gpu> gpus);
std::string gpu_table(const Gpu& gpu, std::size_t width = kAnyWidth);
std::string gpu_csv(const Gpu& gpu);
std::string gpus_json(std::span<const Gpu> gpus);

}  // namespace rooftile
