// Predictions in the store: what was predicted, by which method and constants, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/error/error.hpp"
#include "rooftile/store/store.hpp"
#include "rooftile/units/units.hpp"

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

// All, in the order in which they were saved.
Result<std::vector<SavedPrediction>> list_predictions(Store& store);

}  // namespace rooftile::store
