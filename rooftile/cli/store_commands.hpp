// The subcommands around the store, import and store, as commands.hpp has the others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/store/import.hpp"
#include "rooftile/store/measurements.hpp"
#include "rooftile/store/store.hpp"

namespace rooftile::cli {

// The value of --db, else "rooftile/rooftile.db" in the user's data directory (XDG Base Directory Specification:
// XDG_DATA_HOME, or ~/.local/share). Error: there is neither.
Result<std::string> store_path(const std::string& db);

// Opens the store that --db names; to write, the user's own folder is made where it is missing.
Result<store::Store> open_store(const std::string& db, store::Access access);

// Keeps the predictions in the store that --db names, with the name of the calibration that made them (empty: that of
// the program), the version of the program and today's date.
Result<void> save_predictions(const std::string& db, std::span<const Prediction> predictions,
                              const std::string& calibration);

struct ImportArguments {
  std::vector<std::string> files;
  std::string db;
  store::ImportOptions options;
  bool dry_run = false;
};
Result<void> import_files(const ImportArguments& arguments);

enum class StoreVerb { list, show, add, export_rows, remove, check };

struct StoreArguments {
  StoreVerb verb = StoreVerb::list;
  std::string db, name;                           // name: of a fitted model
  std::string file;                               // of add: the fitted model
  std::string gpu, op, precision, source, where;  // which measurements
  std::string format, output;
  bool provenance = false;
  bool predictions = false;  // of remove: predictions, not measurements
  bool names = false;        // of list: only what --fitted takes by name
};
Result<void> use_store(const StoreArguments& arguments);

}  // namespace rooftile::cli
