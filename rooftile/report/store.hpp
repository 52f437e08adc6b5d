// What the store holds and what an import did, as text and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooftile/report/text.hpp"
#include "rooftile/store/fitted.hpp"
#include "rooftile/store/import.hpp"
#include "rooftile/store/measurements.hpp"
#include "rooftile/store/predictions.hpp"

namespace rooftile {

struct StoreContents {
  std::string path;
  std::vector<store::MeasurementCount> measurements;
  std::vector<store::FittedModel> fitted;
  std::vector<store::SavedPrediction> predictions;
};

// Rows of measurements by GPU, op, precision, software, source and date; fitted models; predictions.
std::string store_table(const StoreContents& contents, std::size_t width = kAnyWidth);

// "rooftile/store/1": the same for programs, with the pass and the file of measurements too.
std::string store_json(const StoreContents& contents);
// Its measurements: one row a subject and origin.
std::string store_csv(const StoreContents& contents);

// What `store check` found: every row is as it was written.
struct StoreCheck {
  std::string path;
  std::int64_t measurements = 0;
};
std::string store_check_text(const StoreCheck& check);
std::string store_check_json(const StoreCheck& check);  // "rooftile/store-check/1"

// One line a file: rows read, added, known already and wrong.
std::string import_table(const std::vector<store::ImportedFile>& files, std::size_t width = kAnyWidth);

}  // namespace rooftile
