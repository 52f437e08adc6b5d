// What the reports of every kind of fitted model begin with. Private: it costs its includer the JSON library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "rooftile/predict/prediction.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {

struct FittedHead {
  std::string_view model, gpu, method, fitted;
  int gpus = 1;
  std::int64_t batch_size = 1;  // of all GPUs together
  DType precision = DType::fp32;
  Phase phase = Phase::fwd;
  std::optional<std::int64_t> iterations;  // of the run, where it was asked for
  Seconds time;                            // of one
  std::optional<Interval> range;
  MemoryUse memory;  // of one GPU
};

// "inference", "training", or the phase's own name.
std::string pass_of(Phase phase);

// What is predicted, its time and memory; two blocks, each with a blank line after it.
std::string head_text(const FittedHead& head);

// The members of "rooftile/prediction/1" down to memory_bytes and unsupported.
nlohmann::ordered_json head_json(const FittedHead& head, const std::vector<Skipped>& left_out);

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

// "  left out      2, not in any number above: …", or "".
std::string left_out_text(const std::vector<Skipped>& left_out);

// One line a warning, or "".
std::string warnings_text(const std::vector<std::string>& warnings);

// A value as JSON, or as many as an array; what is not UTF-8 is replaced.
std::string json_text(const std::vector<nlohmann::ordered_json>& values);

}  // namespace rooftile
