// The store: measurements, predictions and fitted models in one SQLite file (docs/store.md).
//
// A file is made whole or not at all, is only ever added to inside transactions, and is never replaced: whatever else
// lies at its path is an error. Several programs may use it at once; one writes at a time, the others wait.
//
//     store::Store kept = store::Store::in_memory().value();  // or Store::open("mine.db")
//     assert(store::quick_check(kept));
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rooftile/base/error.hpp"

namespace rooftile::store {

class Database;

enum class Access { read, write };

struct StoreOptions {
  Access access = Access::read;
  std::chrono::milliseconds patience = std::chrono::seconds(60);  // with another program that writes
};

class Store {
 public:
  // Opens the file at `path`; to write, it is made where there is none (its folder must be there). A file of an older
  // version is brought up to date. Errors: no such file or folder, no store, damaged, of a newer version, no right to
  // read or write it, or another program kept it locked; the file is left as it is.
  static Result<Store> open(const std::string& path, const StoreOptions& options = {});

  // One in memory alone.
  static Result<Store> in_memory();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // For the sources of this module.
  Database& database() { return *database_; }

  const std::string& path() const;

 private:
  explicit Store(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
};

// Whether the file at `path` says that it is an SQLite database, so that no table is meant.
bool is_store(const std::string& path);

// Whether the file's structure is sound: all of it is read, which takes about a second for 300 MB. Before much is
// written.
Result<void> quick_check(Store& store);

}  // namespace rooftile::store
