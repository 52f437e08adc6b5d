// A served language model (docs/serving.md) as text, CSV and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooftile/prices/gpu_price.hpp"
#include "rooftile/report/text.hpp"
#include "rooftile/server/engine.hpp"
#include "rooftile/server/serving_figures.hpp"

namespace rooftile {

// A batch of fixed size: as fast as the model reads and writes.
struct ServingBatch {
  std::int64_t sequences = 1;
  ForwardTime prompt, step;  // of all sequences; the step halfway through the answer
  bool fits = true;          // the cache does

  double tokens_per_second() const { return static_cast<double>(sequences) / step.time.value(); }
};

// Users who each have one request at the server at all times.
struct UsersServed {
  std::int64_t users = 1;
  std::size_t requests = 0;
  ServingFigures figures;
  double mean_batch = 0;
};

struct ServingReport {
  std::string model, precision;
  const EngineSetup& setup;
  std::int64_t input_tokens = 1, output_tokens = 1;
  ServerOptions server;
  std::vector<ServingBatch> batches;
  std::optional<double> rate = {};             // of arrivals; none: of a file
  std::optional<double> most_served = {};      // requests a second, where the rate is above it
  std::optional<ServingFigures> figures = {};  // of the arrivals; none: nobody came
  std::size_t requests = 0;
  double mean_batch = 0;
  std::optional<UsersServed> users = {};
  LatencyBound bound = {};
  std::optional<Knee> knee = {};
  std::optional<GpuPrice> price = {};  // of a GPU
  std::string note = {};               // what speaks against so many tokens

  int gpus() const { return setup.way.gpus(); }
  double cache_tokens() const { return server.cache_tokens * static_cast<double>(server.replicas); }  // of all replicas
  // Of a million tokens written at that rate; none without a price.
  std::optional<Dollars> per_million(double tokens_per_second) const {
    if (!price || tokens_per_second <= 0) return std::nullopt;
    constexpr double kMillion = 1e6;
    return price->rate * static_cast<double>(gpus()) * Seconds(kMillion / tokens_per_second);
  }
};

std::string serving_table(const ServingReport& report, std::size_t width = kAnyWidth);
// A row for each batch alone, one for the arrivals, one for the users, and one for the highest rate within the bounds.
std::string serving_csv(const ServingReport& report);
// "rooftile/serving/1".
std::string serving_json(const ServingReport& report);

}  // namespace rooftile
