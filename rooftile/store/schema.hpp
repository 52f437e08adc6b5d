// The tables of the store, and the steps that bring a file of an older version to them.
#pragma once

#include "rooftile/base/error.hpp"
#include "rooftile/store/database.hpp"

namespace rooftile::store {

// In PRAGMA application_id: the file is a store ("Roof").
constexpr int kApplicationId = 0x526f6f66;

// In PRAGMA user_version.
int schema_version();

// Makes the tables of that version in an empty database. (Older ones for tests of the steps.)
Result<void> create_schema(Database& database, int version);

// Whether the database has the tables and indexes of its version, as create_schema() makes them, and nothing else: a
// view or a trigger could have any query run without end. Nothing of it is run.
Result<void> check_schema(Database& database);

// Brings the tables up to schema_version() in one transaction; nothing happens where they are. Errors: the file is
// damaged, cannot be written to, is of a newer version.
Result<void> migrate(Database& database);

}  // namespace rooftile::store
