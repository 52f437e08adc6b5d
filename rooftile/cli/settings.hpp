// --set KEY=VALUE,…: what is known of a run and would be chosen or assumed otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/ingest/model.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::cli {

struct Settings {
  std::optional<std::int64_t> seq_len;
  std::optional<std::int64_t> context;
  PlanOptions plan;  // algorithm, tile, active-ctas
  std::string framework;
  bool host = true;                     // false: "host=none"
  bool cuda_graphs = false;             // "host=graphs"
  bool nhwc = false;                    // "layout=nhwc"
  bool narrow_norms = false;            // "norms"
  bool unrolled_cells = false;          // "cells=unrolled"
  std::optional<DType> weights;         // narrower than the arithmetic
  std::optional<DType> expert_weights;  // the same of experts
  std::optional<DType> cache;           // "kv-cache": of earlier keys and values
  std::optional<Optimizer> optimizer;
  bool loss = true;             // false: "loss=none"
  bool clip_gradients = false;  // "clip=norm"
  Recompute recompute = Recompute::none;
  BatchNorms batch_norms = BatchNorms::as_they_are;
  std::int64_t micro_batches = 1;              // "accumulate"
  std::map<std::string, std::string> columns;  // all others: columns of the tables that a model was fitted to
  std::set<std::string> named;                 // every key that was given
};

// Also makes each key an option, unless the command has one of that name: --layout nhwc is --set layout=nhwc. --help
// leaves them out.
CLI::Option* add_set(CLI::App* app, Settings& set);

// The keys, without columns of fitted tables.
std::vector<std::string> setting_names();
// The values of a key that can be listed.
std::vector<std::string> setting_values(std::string_view key);

// What of --set a command would not look at: none of the keys given is another than `known`.
Result<void> check_keys(const Settings& set, std::string_view command, const std::vector<std::string>& known);
// --set host=… changes nothing where the host plays no part.
Result<void> check_no_host(const Settings& set, std::string_view command);

}  // namespace rooftile::cli
