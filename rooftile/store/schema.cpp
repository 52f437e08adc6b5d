#include "rooftile/store/schema.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

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

// What the schema of a database says of itself: type and name of each thing in it, and the SQL that made it.
using Schema = std::map<std::pair<std::string, std::string>, std::string>;

Result<Schema> schema_of(Database& database) {
  Schema schema;
  auto statement = TRY(database.prepare("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"));
  while (TRY(statement.step())) {
    const auto text = [&](int column) { return std::string(statement.text(column)); };
    schema[{text(0), text(1)}] = fmt::format("{} {}", text(2), text(3));
  }
  return schema;
}

Result<Schema> own_schema(int version) {
  auto database = TRY(Database::open(":memory:", "memory", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY));
  TRY(create_schema(*database, version));
  return schema_of(*database);
}

Result<void> set_version(Database& database, int version) {
  return database.run(fmt::format("PRAGMA user_version = {}", version));
}

}  // namespace

int schema_version() { return static_cast<int>(kSteps.size()); }

Result<void> create_schema(Database& database, int version) {
  TRY(database.run(fmt::format("PRAGMA application_id = {}", kApplicationId)));
  for (int step = 0; step < version; ++step) {
    TRY(database.run(kSteps[static_cast<std::size_t>(step)]));
  }
  return set_version(database, version);
}

Result<void> check_schema(Database& database) {
  const auto version = TRY(database.integer("PRAGMA user_version"));
  // migrate() says what is wrong with others.
  if (version < 1 || version > schema_version()) return {};
  const Schema own = TRY(own_schema(static_cast<int>(version))), found = TRY(schema_of(database));
  const auto foreign = [&](std::string_view what, const Schema::key_type& thing) {
    return fail(ErrorCode::bad_input,
                fmt::format("is not a rooftile store: {} {} '{}'", what, thing.first, one_line(thing.second)),
                database.path());
  };
  for (const auto& [thing, sql] : found) {
    const auto expected = own.find(thing);
    if (expected == own.end()) return foreign("it has the", thing);
    if (expected->second != sql) return foreign("it has another", thing);
  }
  for (const auto& [thing, sql] : own) {
    if (!found.contains(thing)) return foreign("it lacks the", thing);
  }
  return {};
}

Result<void> migrate(Database& database) {
  auto version = TRY(database.integer("PRAGMA user_version"));
  if (version == schema_version()) return {};
  if (version > schema_version()) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("the store is of version {}, and this program knows versions up to {}; use a newer rooftile",
                    version, schema_version()),
        database.path());
  }
  if (version < 1) return fail(ErrorCode::bad_input, "is not a rooftile store", database.path());
  auto transaction = TRY(Transaction::begin(database));
  // Another program may have been faster.
  version = TRY(database.integer("PRAGMA user_version"));
  for (auto step = static_cast<std::size_t>(version); step < kSteps.size(); ++step) {
    TRY(database.run(kSteps[step]));
  }
  TRY(set_version(database, schema_version()));
  return transaction.commit();
}

}  // namespace rooftile::store
