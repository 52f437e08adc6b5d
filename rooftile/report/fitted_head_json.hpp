// What the reports of every kind of fitted model begin with. Private: it costs its includer the JSON library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "rooftile/learn/fitted_run.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {

// What is predicted, its time, with its interval if there is one, and memory; two blocks, each with a blank line after
// it.
std::string head_text(const FittedRun& run, std::string_view method, const std::optional<Interval>& range,
                      std::size_t width);

// The members of "rooftile/prediction/1" down to memory_bytes and unsupported.
nlohmann::ordered_json head_json(const FittedRun& run, std::string_view method, const std::optional<Interval>& range);

// Those that a table shows: all in their order, or the ten slowest, by time. `Layer` has a `time`.
template <class Layer>
std::vector<const Layer*> shown_layers(const std::vector<Layer>& layers, bool all) {
  constexpr std::size_t kSlowest = 10;
  std::vector<const Layer*> shown;
  for (const Layer& layer : layers) shown.push_back(&layer);
  if (all) return shown;
  std::stable_sort(shown.begin(), shown.end(), [](const Layer* a, const Layer* b) { return a->time > b->time; });
  shown.resize(std::min(shown.size(), kSlowest));
  return shown;
}

// The cells of a layer before its times under these names, and the times under those of kTimeColumns.
inline constexpr std::array kLayerColumns = {"model", "gpu",      "batch_size", "precision", "name",
                                             "op",    "function", "pass",       "method",    "output"};
std::vector<std::string> layer_cells(const FittedRun& run, const FittedLayer& layer, std::string_view pass,
                                     std::string_view method);
inline constexpr std::array kTimeColumns = {"time_s", "time_low_s", "time_high_s"};
void add_times(std::vector<std::string>& cells, const FittedLayer& layer);

// The cells of a time under these names: iterations of the run, how long they take, and what is warned of.
inline constexpr std::array kRunColumns = {"iterations", "run_time_s", "warnings"};
void add_run(std::vector<std::string>& cells, const FittedRun& run, Seconds time,
             const std::vector<std::string>& warnings);

// "  left out      2, not in any number above: …", or "".
std::string left_out_text(const std::vector<Skipped>& left_out);

// One line a warning, or "".
std::string warnings_text(const std::vector<std::string>& warnings);

}  // namespace rooftile
