// Networks on many GPUs: what each takes, costs and needs.
//
//     #include "rooftile/gpu/catalogue.hpp"
//     #include "rooftile/ingest/model.hpp"
//
//     CompareTask task;
//     task.models = {{"resnet50", [](auto batch, auto) -> Result<NetworkAt> {
//                       auto workload = load_model("resnet50", {.batch_size = batch}).value();
//                       return NetworkAt{std::make_shared<const Workload>(std::move(workload))};
//                     }}};
//     task.batches = {{.size = 32}};
//     task.gpus = {find_gpu("t4").value(), find_gpu("l4").value()};
//     const Comparison comparison = compare(task).value();
//     assert(comparison.runs.size() == 2);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/compare/compared_run.hpp"
#include "rooftile/compare/grid.hpp"
#include "rooftile/cost/cost.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/prices/gpu_price.hpp"

namespace rooftile {

// A network at a batch size, and how it is run.
struct NetworkAt {
  std::shared_ptr<const Workload> workload;  // several precisions may share it
  PredictOptions options = {};
  Phase phase = Phase::fwd;
};

struct CompareTask {
  struct Model {
    std::string name;
    // At that batch size, or the model's own; at that precision, or as its weights are stored. Called by one thread at
    // a time, while other models may be asked of others.
    std::function<Result<NetworkAt>(std::optional<std::int64_t> batch, std::optional<RunPrecision> precision)> at;
    bool any_batch = true;  // false: it is read once (standard input, a script)
  };
  struct Batch {
    std::optional<std::int64_t> size = {};  // none: the model's own
    bool largest = false;                   // that fits each GPU
  };
  std::vector<Model> models;
  std::vector<Batch> batches = {{}};
  std::vector<std::vector<RunPrecision>> precisions =
      {};  // a run each, at the fastest of several (the first of them within 0.1 %); none: the model's own
  std::vector<Gpu> gpus;
  // Of the GPUs. Of several precisions those count first that it has, and of these those in which both GPUs compute.
  std::optional<std::size_t> baseline = {};
  PriceRules prices = {};
  const CostTable* costs = nullptr;    // null: no energy
  double memory_share = 1;             // of a GPU's memory that may be used
  std::optional<double> samples = {};  // of an epoch
  double epochs = 1;
  std::optional<Grid> grid = {};
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t all)> progress = {};  // predictions; called by one thread at a time
};

struct Comparison {
  std::string pass;  // "inference", "training"
  std::string execution;
  std::string optimizer;                // of training
  std::string baseline;                 // GPU id; empty: none
  std::optional<Grid> grid = {};        // where the electricity is from
  std::vector<ComparedRun> runs;        // by model, batch, precisions, GPU
  std::vector<std::string> left_out;    // "k80: no peak rate …"
  std::vector<std::string> notes = {};  // of the models, as Workload::notes
  bool stopped = false;                 // when asked to: runs are missing
};

// Every model at every batch on every GPU, at each of the precisions. GPUs that cannot run it are left out, with the
// reason. Errors: those of the models.
Result<Comparison> compare(const CompareTask& task);

}  // namespace rooftile
