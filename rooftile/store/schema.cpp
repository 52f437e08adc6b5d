#include "rooftile/store/schema.hpp"

#include <array>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile::store {
namespace {

// What each version adds to the one before; docs/store.md describes the whole. A step that has been released is never
// edited.
constexpr std::array kSteps = {
    // 1: measurements and fitted models.
    R"SQL(
CREATE TABLE layout (id INTEGER PRIMARY KEY, header TEXT NOT NULL UNIQUE);
CREATE TABLE origin (id INTEGER PRIMARY KEY, file TEXT NOT NULL, format TEXT NOT NULL, source TEXT NOT NULL,
  date TEXT NOT NULL, UNIQUE (file, format, source, date));
CREATE TABLE subject (id INTEGER PRIMARY KEY, op TEXT NOT NULL, gpu TEXT NOT NULL, precision TEXT NOT NULL,
  pass TEXT NOT NULL, software TEXT NOT NULL, UNIQUE (gpu, op, precision, pass, software));
CREATE TABLE measurement (id INTEGER PRIMARY KEY, key BLOB NOT NULL, copy INTEGER NOT NULL,
  layout INTEGER NOT NULL REFERENCES layout, origin INTEGER NOT NULL REFERENCES origin,
  subject INTEGER NOT NULL REFERENCES subject, line INTEGER NOT NULL, cells TEXT NOT NULL);
CREATE UNIQUE INDEX measurement_key ON measurement (key);
CREATE INDEX measurement_subject ON measurement (subject, origin);
CREATE TABLE fitted (name TEXT PRIMARY KEY, kind TEXT NOT NULL, fitted_on TEXT NOT NULL, date TEXT NOT NULL,
  digest BLOB NOT NULL, text TEXT NOT NULL);
)SQL",
    // 2: predictions.
    R"SQL(
CREATE TABLE prediction (id INTEGER PRIMARY KEY, model TEXT NOT NULL, gpu TEXT NOT NULL, method TEXT NOT NULL,
  precision TEXT NOT NULL, pass TEXT NOT NULL, batch_size INTEGER NOT NULL, time_s REAL NOT NULL, time_low_s REAL,
  time_high_s REAL, calibration TEXT NOT NULL, version TEXT NOT NULL, date TEXT NOT NULL);
CREATE INDEX prediction_subject ON prediction (gpu, model);
)SQL",
};

Result<void> set_version(Database& database, int version) {
  return database.run(fmt::format("PRAGMA user_version = {}", version));
}

}  // namespace

int schema_version() { return static_cast<int>(kSteps.size()); }

Result<void> create_schema(Database& database, int version) {
  if (auto set = database.run(fmt::format("PRAGMA application_id = {}", kApplicationId)); !set) return set;
  for (int step = 0; step < version; ++step) {
    if (auto made = database.run(kSteps[static_cast<std::size_t>(step)]); !made) return made;
  }
  return set_version(database, version);
}

Result<void> migrate(Database& database) {
  auto version = database.integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  if (*version == schema_version()) return {};
  if (*version > schema_version()) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("the store is of version {}, and this program knows versions up to {}; use a newer rooftile",
                    *version, schema_version()),
        database.path());
  }
  if (*version < 1) return fail(ErrorCode::bad_input, "is not a store of rooftile", database.path());
  auto transaction = TRY(Transaction::begin(database));
  // Another program may have been faster.
  version = database.integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  for (auto step = static_cast<std::size_t>(*version); step < kSteps.size(); ++step) {
    if (auto made = database.run(kSteps[step]); !made) return made;
  }
  if (auto set = set_version(database, schema_version()); !set) return set;
  return transaction.commit();
}

}  // namespace rooftile::store
