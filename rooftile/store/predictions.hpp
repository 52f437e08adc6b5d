// Predictions in the store: what was predicted, by which method and constants, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/base/units.hpp"
#include "rooftile/store/store.hpp"
#include "rooftile/validate/filter.hpp"

namespace rooftile::store {

struct SavedPrediction {
  std::string model, gpu, method, precision, pass;
  std::int64_t batch_size = 1;
  Seconds time;
  std::optional<Seconds> time_low, time_high;
  std::string calibration;  // the file, or the fitted model; empty: the constants of the program
  std::string version;      // of the program
  std::string date;         // "2026-01-31"

  bool operator==(const SavedPrediction&) const = default;
};

// Adds those that are not there yet, whatever their date; how many that were. All or none. The store must be open to
// write.
Result<std::int64_t> save_predictions(Store& store, std::span<const SavedPrediction> predictions);

// Which predictions are meant; an empty text means any. `where` is over the names of SavedPrediction's members, the
// times in seconds as time_s, time_low_s and time_high_s.
struct PredictionQuery {
  std::string gpu = {}, precision = {};
  std::optional<Filter> where = {};
};

// In the order in which they were saved.
Result<std::vector<SavedPrediction>> list_predictions(Store& store, const PredictionQuery& query = {});

// How many were removed. Error: the filter names something else. The store must be open to write.
Result<std::int64_t> remove_predictions(Store& store, const PredictionQuery& query);

}  // namespace rooftile::store
