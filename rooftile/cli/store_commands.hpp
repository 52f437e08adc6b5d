// The store: where it lies, and what is kept in it.
#pragma once

#include <span>
#include <string>

#include <CLI/App.hpp>

#include "rooftile/base/error.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::cli {

// --db FILE.
CLI::Option* add_db(CLI::App* app, std::string& db);

// The value of --db, else "rooftile/rooftile.db" in the user's data directory (XDG Base Directory Specification:
// XDG_DATA_HOME, or ~/.local/share). Error: there is neither.
Result<std::string> store_path(const std::string& db);

// Opens the store that --db names; to write, the user's own folder is made where it is missing.
Result<store::Store> open_store(const std::string& db, store::Access access);

// Keeps the predictions in the store that --db names, with the name of the calibration that made them (empty: that of
// the program), the version of the program and today's date.
Result<void> save_predictions(const std::string& db, std::span<const Prediction> predictions,
                              const std::string& calibration);

}  // namespace rooftile::cli
